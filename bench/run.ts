import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import autocannon from 'autocannon'

// Requests per second beside a bare Fastify route, taken in turn in one run: the ratios are the result, the figures are
// this machine's. Service, database and load share the machine.

const SECONDS = Number(process.env.SECONDS ?? 4)
const ROUNDS = Number(process.env.ROUNDS ?? 3)
const CONNECTIONS = 32

interface Load {
  name: string
  options(): Omit<autocannon.Options, 'connections' | 'duration'>
}

const dataDir = mkdtempSync(path.join(tmpdir(), 'tenantry-bench-'))
const [port, barePort] = [await freePort(), await freePort()]
const api = `http://127.0.0.1:${port}/api`
const settings = { PORT: String(port), DATA_DIR: dataDir, RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'silent' }
const children = [start('src/main.ts', settings), start('bench/bare.ts', { PORT: String(barePort) })]
try {
  const firstAnswer = await answered(`${api}/health`)
  console.log(`first answer ${firstAnswer} ms after the start, with a new database`)
  await answered(`http://127.0.0.1:${barePort}/`)
  await compare(await loads())
  console.log(`memory of the service ${memoryMiB(children[0] as ChildProcess)} MiB`)
} finally {
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(children.map((child) => once(child, 'exit')))
  rmSync(dataDir, { recursive: true, force: true })
}

async function loads(): Promise<Load[]> {
  const person = { email: 'bench@example.com', password: 'Correct-horse-7' }
  const signedUp = await send('/auth/register', { ...person, name: 'Bench', companyName: 'Bench', taxId: '1' })
  const tokens: string[] = [signedUp.refreshToken]
  while (tokens.length < CONNECTIONS) tokens.push((await send('/auth/login', person)).refreshToken)
  const json = { 'content-type': 'application/json' }
  const authorization = `Bearer ${signedUp.accessToken}`
  return [
    { name: 'bare Fastify route', options: () => ({ url: `http://127.0.0.1:${barePort}/` }) },
    { name: 'me', options: () => ({ url: `${api}/auth/me`, headers: { authorization } }) },
    { name: 'companies', options: () => ({ url: `${api}/companies`, headers: { authorization } }) },
    {
      name: 'login',
      options: () => ({ url: `${api}/auth/login`, method: 'POST', headers: json, body: JSON.stringify(person) }),
    },
    { name: 'refresh', options: () => refreshing(tokens, json) },
  ]
}

/** Every connection goes on with the token that it was given last. */
function refreshing(tokens: string[], headers: Record<string, string>) {
  let next = 0
  const setupClient = (client: autocannon.Client) => {
    const place = next++ % tokens.length
    const body = () => JSON.stringify({ refreshToken: tokens[place] })
    client.setBody(body())
    client.on('body', (answer: Buffer) => {
      tokens[place] = JSON.parse(answer.toString()).data.refreshToken
      client.setBody(body())
    })
  }
  return { url: `${api}/auth/refresh`, method: 'POST' as const, headers, setupClient }
}

async function compare(loads: Load[]): Promise<void> {
  const rates = new Map(loads.map(({ name }) => [name, [] as { rate: number; p99: number }[]]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, options } of loads) {
      const result = await autocannon({ ...options(), connections: CONNECTIONS, duration: SECONDS })
      if (result.non2xx > 0) throw new Error(`${name}: ${result.non2xx} answers were not 2xx`)
      rates.get(name)?.push({ rate: result.requests.average, p99: result.latency.p99 })
    }
  }
  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number
  const floor = median((rates.get(loads[0]?.name as string) ?? []).map(({ rate }) => rate))
  for (const [name, results] of rates) {
    const rate = median(results.map((result) => result.rate))
    const p99 = median(results.map((result) => result.p99))
    console.log(
      `${name.padEnd(20)} ${rate.toFixed(0).padStart(7)} /s  ${(rate / floor).toFixed(3)} of bare  p99 ${p99} ms`,
    )
  }
}

function start(file: string, env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [file], { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] })
}

async function answered(url: string): Promise<number> {
  const since = performance.now()
  while (performance.now() - since < 30_000) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return Math.round(performance.now() - since)
    await pause(10)
  }
  throw new Error(`${url} does not answer`)
}

async function send(route: string, body: object) {
  const response = await fetch(api + route, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return ((await response.json()) as { data: { accessToken: string; refreshToken: string } }).data
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

function memoryMiB({ pid }: ChildProcess): number {
  const status = process.getBuiltinModule('node:fs').readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}
