import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** Runs a TypeScript file in a process of its own. */
export function start(file: string, env: Record<string, string>, args: string[] = []): ChildProcess {
  return spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** Starts the service without rate limits and logs, on a free port. */
export async function startService(dataDir: string): Promise<{ child: ChildProcess; api: string }> {
  const port = await freePort()
  const settings = { PORT: String(port), DATA_DIR: dataDir, RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'silent' }
  return { child: start('src/main.ts', settings), api: `http://127.0.0.1:${port}/api` }
}

/** Waits until the URL responds with success. Returns how many milliseconds that took. */
export async function waitForResponse(url: string): Promise<number> {
  const since = performance.now()
  while (performance.now() - since < 60_000) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return Math.round(performance.now() - since)
    await pause(5)
  }
  throw new Error(`${url} does not respond`)
}

/** What the measurements need of a response. */
interface ResponseData {
  accessToken: string
  refreshToken: string
  tenants: [{ id: string }]
}

export async function send(
  api: string,
  route: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<ResponseData> {
  const response = await fetch(api + route, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as { data: ResponseData }
  if (!response.ok) throw new Error(JSON.stringify(answer))
  return answer.data
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

export async function end(children: ChildProcess[]): Promise<void> {
  const ended = children.filter(({ exitCode }) => exitCode === null).map((child) => once(child, 'exit'))
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(ended)
}

export function memoryMiB({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}
