import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'

export interface RedisServer {
  url: string
  forget(): Promise<unknown>
  /** Keeps its connections and answers nothing. */
  freeze(): void
  resume(): void
  kill(): Promise<void>
  /** On the same port as before. */
  restart(): Promise<void>
}

export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Starts Redis or Valkey; fails where neither is installed. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let child = await startProgram(port)
  return {
    url,
    forget: () => inRedis(url, (redis) => redis.flushall()),
    freeze: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    async restart() {
      child = await startProgram(port)
    },
  }
}

export interface SlowNetwork {
  url: string
  /** From now on answers of the server arrive this much later. */
  delay(ms: number): void
  close(): Promise<void>
}

/** A proxy in front of a server on this machine that delays its answers. */
export async function startSlowNetwork(url: string): Promise<SlowNetwork> {
  const sockets = new Set<net.Socket>()
  let delayMs = 0
  const server = net.createServer((near) => {
    const far = net.connect(Number(new URL(url).port), '127.0.0.1')
    near.pipe(far)
    far.on('data', (chunk) => setTimeout(() => near.write(chunk), delayMs))
    for (const socket of [near, far]) {
      sockets.add(socket.on('error', () => {}))
      socket.on('close', () => near.destroy() && far.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delay(ms) {
      delayMs = ms
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function startProgram(port: number) {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--daemonize', 'no']
  const child = spawn(findProgram(), options, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('Ready to accept')) break
  child.stdout.resume()
  return child
}

function findProgram(): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const programs = ['redis-server', 'valkey-server'].flatMap((name) => folders.map((folder) => join(folder, name)))
  const program = programs.find(existsSync)
  if (!program) throw new Error('This test needs redis-server or valkey-server: apt-get install redis-server')
  return program
}

async function inRedis<Result>(url: string, work: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url)
  try {
    return await work(redis)
  } finally {
    redis.disconnect()
  }
}
