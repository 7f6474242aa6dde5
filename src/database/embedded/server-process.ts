import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { constants as os } from 'node:os'
import { type Cluster, removeStaleLocks } from './cluster.ts'
import { commandLine, environment, lend } from './os-user.ts'

/** One life of a server process, from its launch to its end. */
export interface Life {
  id: string
  running: boolean
  ended: Promise<string>
  end(): Promise<void>
}

/**
 * The shell's standard input is a pipe that only this process holds. When it closes, however this process ended, the watcher
 * stops the server: INT is the fast shutdown, but a shell starts its background programs deaf to it, so one that is only
 * just starting needs TERM.
 */
const script = `
  exec 4<&0
  "$@" 4<&- </dev/null & server=$!
  (read -r _ <&4; kill -TERM $server; while kill -INT $server; do sleep 1; done) 3<&- 2>/dev/null & watcher=$!
  exec 4<&-
  wait $server; status=$?
  kill $watcher 2>/dev/null
  exit $status`

const logTailBytes = 4096
const toldToClients = /the database system is|terminating connection/

export function launch(cluster: Cluster): Life {
  removeStaleLocks(cluster.home)
  const log = openLog(cluster)
  const begin = fstatSync(log).size
  const id = `${process.pid} ${randomUUID()}`
  const child = spawnServer(cluster, log, id)

  const life: Life = {
    id,
    running: true,
    ended: endOf(child, () => lastWords(log, begin)).finally(() => {
      life.running = false
      closeSync(log)
    }),
    async end() {
      child.stdin?.end()
      await life.ended
    },
  }
  return life
}

/** The process that launched the server, by what the server says about its life. */
export function ownerIn(id: string | null): number {
  return Number.parseInt(id ?? '', 10)
}

/** Belongs to the server's user, so that this user may start without root the next time. */
function openLog({ log, runner }: Cluster): number {
  const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW } = constants
  const fd = openSync(log, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600)
  lend(fd, runner)
  return fd
}

function spawnServer(cluster: Cluster, log: number, id: string): ChildProcess {
  const { folder, programs, runner, settings } = cluster
  const options = { ...settings, ...ownSettings(folder.theirs, id) }
  const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const shell = ['-c', script, 'postgres', programs.postgres, '-D', folder.theirs, ...flags]
  const [command, ...args] = commandLine(runner, '/bin/sh', shell)
  return spawn(command, args, {
    uid: runner.uid,
    gid: runner.gid,
    cwd: '/',
    env: environment,
    detached: true, // Ctrl+C in a terminal is for us first: we still have to close our connections.
    stdio: ['pipe', log, log, folder.fd],
  })
}

/** Not open to wishes. The life's id lets a client see whose server answers when two processes start at once. */
function ownSettings(sockets: string, id: string): Record<string, string> {
  return {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: sockets,
    unix_socket_permissions: '0700',
    'tenantry.life': id,
  }
}

function endOf(child: ChildProcess, words: () => string): Promise<string> {
  child.stdin?.on('error', () => {}) // The server may end before we close the pipe.
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`PostgreSQL could not be started: ${error.message}`))
    child.once('exit', (code, signal) => {
      const by = signal ?? signalIn(code ?? 0)
      resolve(`PostgreSQL ended with ${by ?? `code ${code}: ${words()}`}`)
    })
  })
}

/** A shell reports a program that a signal ended as 128 and the signal's number. */
function signalIn(code: number): string | undefined {
  return Object.entries(os.signals).find(([, number]) => number === code - 128)?.[0]
}

/** Why the server ended, as it said since this life began. The log itself may be large. */
function lastWords(log: number, begin: number): string {
  const size = fstatSync(log).size
  const tail = Buffer.alloc(Math.max(0, Math.min(size - begin, logTailBytes)))
  readSync(log, tail, 0, tail.length, size - tail.length)
  const lines = tail.toString('utf8').trim().split('\n')
  const fatal = lines.findLast((line) => /(?:FATAL|PANIC): /.test(line) && !toldToClients.test(line))
  return fatal?.replace(/^.*(?:FATAL|PANIC): +/, '') ?? lines.at(-1)?.replace(/^.*LOG: +/, '') ?? ''
}
