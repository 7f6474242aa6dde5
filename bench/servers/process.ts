import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import path from 'node:path'
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

const root = path.join(import.meta.dirname, '../..')
/** The Node of this process comes first. */
const PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter)

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * Starts a process that serves on PORT, and waits until it responds to `probe`. `command` is one of a shell, which the
 * process replaces.
 */
export async function startService(
  name: string,
  { command, env, probe }: { command: string; env: Record<string, string>; probe: string },
): Promise<Service> {
  const port = await freePort()
  const since = performance.now()
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: root,
    env: { PATH, NODE_ENV: 'production', PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  await waitForResponse(`http://127.0.0.1:${port}${probe}`, child)
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
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.at(-1)} ended with ${child.exitCode}`)
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
