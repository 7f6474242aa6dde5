import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { constants as os } from 'node:os'
import { type Cluster, removeStaleLocks } from './cluster.ts'
import { commandLine, ENVIRONMENT, grant } from './os-user.ts'

/** A server that this process has launched. */
export interface ServerProcess {
  /** `<process id of the launcher> <UUID>`: the server reports it, so that a client can see whose server answers. */
  launchId: string
  running: boolean
  /** Resolves with the reason when the server has ended. Never rejects. */
  ended: Promise<string>
  /** Stops the server and waits for its end. */
  stop(): Promise<void>
}

/**
 * The shell's standard input is a pipe whose other end only this process has. When the pipe closes, however this
 * process ended, the watcher stops the server. INT is PostgreSQL's fast shutdown. A shell starts background programs
 * with INT ignored, so that a server which has not yet installed its handlers needs TERM. The watcher outlives the
 * signals that a service manager sends to all processes at once: with TERM alone a server waits for its clients.
 */
const SCRIPT = `
  exec 4<&0
  "$@" 4<&- </dev/null & server=$!
  (trap '' HUP INT TERM; read -r _ <&4; kill -TERM $server; while kill -INT $server; do sleep 1; done) 3<&- 2>/dev/null & watcher=$!
  exec 4<&-
  wait $server; status=$?
  kill -KILL $watcher 2>/dev/null
  exit $status`

/** As much of the end of the log is searched for the reason of a failure. */
const LOG_TAIL_BYTES = 4096
/** Lines that the server logs because it refuses or ends connections; they are not the reason of its end. */
const ABOUT_CONNECTIONS = /the database system is|terminating connection/

/** Starts a server on the cluster; whether it accepts connections is for `probe` to find out. */
export function launch(cluster: Cluster): ServerProcess {
  removeStaleLocks(cluster.dir)
  const logFd = openLog(cluster)
  const logStart = fstatSync(logFd).size
  const launchId = `${process.pid} ${randomUUID()}`
  const child = spawnServer(cluster, logFd, launchId)

  const server: ServerProcess = {
    launchId,
    running: true,
    ended: endOf(child, () => reasonInLog(logFd, logStart)).finally(() => {
      server.running = false
      closeSync(logFd)
    }),
    async stop() {
      child.stdin?.end()
      await server.ended
    },
  }
  return server
}

/** The process that launched the server with this id; NaN for a server that this code did not launch. */
export function launcherPid(launchId: string | null): number {
  return Number.parseInt(launchId ?? '', 10)
}

/** The log belongs to the server's user, so that this user can start without root the next time. */
function openLog({ logFile, user }: Cluster): number {
  const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW } = constants
  const fd = openSync(logFile, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600)
  grant(fd, user)
  return fd
}

function spawnServer(cluster: Cluster, logFd: number, launchId: string): ChildProcess {
  const { folder, binaries, user, settings } = cluster
  const options = { ...settings, ...fixedSettings(folder.pathInChild, launchId) }
  const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const shell = ['-c', SCRIPT, 'postgres', binaries.postgres, '-D', folder.pathInChild, ...flags]
  const [command, ...args] = commandLine(user, '/bin/sh', shell)
  return spawn(command, args, {
    uid: user.uid,
    gid: user.gid,
    cwd: '/',
    env: ENVIRONMENT,
    detached: true, // Ctrl+C in a terminal must reach this process alone, which closes its connections first.
    stdio: ['pipe', logFd, logFd, folder.fd],
  })
}

/** Settings that options can't replace: no network, and a socket that only the server's user can open. */
function fixedSettings(socketDir: string, launchId: string): Record<string, string> {
  return {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    'tenantry.launch_id': launchId,
  }
}

function endOf(child: ChildProcess, readReason: () => string): Promise<string> {
  child.stdin?.on('error', () => {}) // The server may end before this process closes the pipe.
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`PostgreSQL could not be started: ${error.message}`))
    child.once('exit', (code, signal) => {
      const endedBy = signal ?? signalFrom(code ?? 0)
      resolve(`PostgreSQL ended with ${endedBy ?? `code ${code}: ${readReason()}`}`)
    })
  })
}

/** A shell reports a program that a signal has ended as 128 plus the number of the signal. */
function signalFrom(exitCode: number): string | undefined {
  return Object.entries(os.signals).find(([, number]) => number === exitCode - 128)?.[0]
}

/**
 * Why the server ended, from what it has logged since its launch. Reads the tail alone, because the log may be large.
 */
function reasonInLog(logFd: number, logStart: number): string {
  const size = fstatSync(logFd).size
  const tail = Buffer.alloc(Math.max(0, Math.min(size - logStart, LOG_TAIL_BYTES)))
  readSync(logFd, tail, 0, tail.length, size - tail.length)
  const lines = tail.toString('utf8').trim().split('\n')
  const fatal = lines.findLast((line) => /(?:FATAL|PANIC): /.test(line) && !ABOUT_CONNECTIONS.test(line))
  return fatal?.replace(/^.*(?:FATAL|PANIC): +/, '') ?? lines.at(-1)?.replace(/^.*LOG: +/, '') ?? ''
}
