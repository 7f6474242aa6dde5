import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'

const PRINTED_KEPT = 20_000
const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin'

/** The user that root runs everything as: the owner of PostgreSQL's configuration. */
export function unprivilegedUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const { uid, gid } = statSync('/var/lib/postgresql')
  return { uid, gid }
}

/** A program that runs until it is ended. */
export interface Program {
  pid: number
  /** The end of what it has printed. */
  printed(): string
  /** Ends it, at once. */
  kill(): Promise<void>
}

export function startProgram(command: string, args: string[], cwd: string): Program {
  const env = { PATH: `${process.env.PATH}:${SYSTEM_PATH}`, LC_ALL: 'C', HOME: cwd }
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], ...unprivilegedUser() })
  let printed = ''
  const keep = (text: Buffer) => {
    printed = (printed + text).slice(-PRINTED_KEPT)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  child.on('error', (error) => keep(Buffer.from(error.message)))
  return { pid: child.pid ?? 0, printed: () => printed, kill: () => end(child) }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  // A stopped process takes a KILL all the same.
  child.kill('SIGKILL')
  await exited
}
