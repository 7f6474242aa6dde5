import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import { freePort } from '../faults/free-port.ts'

export interface RedisServer {
  port: number
  url: string
  forget(): Promise<unknown>
  /** Such as `config set maxmemory 1`. Returns the answer. */
  command(text: string): Promise<unknown>
  /** Keeps its connections and answers nothing. */
  freeze(): void
  resume(): void
  kill(): Promise<void>
  /** On the same port as before. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** Starts Redis or Valkey; fails where neither is installed. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let child = await startProgram(port)
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    port,
    url,
    forget: () => inRedis(url, (redis) => redis.flushall()),
    command: (text) =>
      inRedis(url, (redis) => {
        const [name = '', ...args] = text.split(' ')
        return redis.call(name, ...args)
      }),
    freeze: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    kill,
    async restart() {
      child = await startProgram(port)
    },
    close: kill,
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
  const redis = new Redis(url, { enableReadyCheck: false })
  try {
    return await work(redis)
  } finally {
    redis.disconnect()
  }
}
