import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const START_MS_MAX = 60_000

export interface Service {
  name: string
  child: ChildProcess
  pid: number
  port: number
  /** Milliseconds from the start of the process to its first response. */
  firstResponseMs: number
  stop(): Promise<void>
}

/** Starts a Node process that serves on PORT, and waits until `path` responds. */
export async function startService(
  name: string,
  { script, args = [], env, path }: { script: string; args?: string[]; env: Record<string, string>; path: string },
): Promise<Service> {
  const port = await freePort()
  const since = performance.now()
  const child = spawn(process.execPath, [...args, script], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await waitForResponse(`http://127.0.0.1:${port}${path}`, child)
  return {
    name,
    child,
    pid: child.pid as number,
    port,
    firstResponseMs: Math.round(performance.now() - since),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Any response counts: the service answers. */
async function waitForResponse(url: string, child: ChildProcess): Promise<void> {
  for (const since = performance.now(); performance.now() - since < START_MS_MAX; ) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}`)
    const response = await fetch(url, { headers: { connection: 'close' } }).catch(() => undefined)
    if (response) return
    await pause(2)
  }
  throw new Error(`${url} does not respond`)
}

/** A port that no program uses at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
