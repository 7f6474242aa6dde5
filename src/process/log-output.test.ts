import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { useTestApp } from '../../test/support/app.ts'
import { exchange, rawRequest } from '../../test/support/http.ts'
import { startProcess } from '../../test/support/processes.ts'
import { until } from '../../test/support/until.ts'

const root = path.join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-log-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** More than is kept of lines that can't be written. */
const LINES = 60_000

/** Logs many lines at once, then one more each 10 ms until its standard input ends. Reports on standard error. */
const PROGRAM = `
  import { createLog } from './src/process/log.ts'
  const log = createLog('info')
  for (let i = 0; i < ${LINES}; i++) log.info({ i }, 'many')
  console.error('logged')
  const timer = setInterval(() => log.info('later'), 10)
  process.stdin.resume().on('end', () => {
    clearInterval(timer)
    log.info({ kB: process.memoryUsage().rss / 1000 }, 'last')
    console.error('ending')
  })`

function start(standardOutput: number | 'pipe', limit = '') {
  const args = ['-c', `${limit} exec "$0" --input-type=module -e "$1"`, process.execPath, PROGRAM]
  const child = spawn('/bin/bash', args, { cwd: root, stdio: ['pipe', standardOutput, 'pipe'] })
  const ended = once(child, 'exit').then(([code]) => code)
  const reports: string[] = []
  createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => reports.push(line))
  const finish = () => child.stdin?.end()
  return { child, ended, finish, reported: (report: string) => until(() => reports.includes(report)) }
}

interface Line {
  level: number
  msg: string
  i?: number
  dropped?: number
  code?: string
  kB?: number
}

/** Asserts that lines are whole and in order, and that none is missing but those that the log says it dropped. */
function assertComplete(lines: Line[], code: string): void {
  const many = lines.filter(({ msg }) => msg === 'many')
  assert.deepEqual(
    many.map(({ i }) => i),
    many.map((_, index) => index),
  )
  const [lost, ...others] = lines.filter(({ level }) => level > 30)
  assert.deepEqual([lost?.level, lost?.code, others.length], [50, code, 0])
  assert.ok((lost?.dropped ?? 0) >= LINES - many.length, `${lost?.dropped} of ${LINES - many.length}`)
  assert.ok(many.length > 10_000 && many.length < LINES, String(many.length))
  assert.equal(lines.at(-1)?.msg, 'last')
  assert.ok((lines.at(-1)?.kB ?? 0) < 200_000)
}

describe('a log that can’t be written', () => {
  it('because its reader hangs goes on when that reads again, and counts what it dropped', async () => {
    const { child, ended, finish, reported } = start('pipe')
    await reported('logged')
    const lines: Line[] = []
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(JSON.parse(line)))
    await until(() => lines.at(-1)?.msg === 'later' && lines.some(({ level }) => level === 50))
    finish()
    assert.equal(await ended, 0)
    await until(() => lines.at(-1)?.msg === 'last')
    assertComplete(lines, 'EAGAIN')
  })

  it('because its file can’t grow goes on when that can, and counts what it dropped', async () => {
    const file = path.join(folder, 'log')
    const { child, ended, finish, reported } = start(openSync(file, 'a'), 'ulimit -S -f 1;')
    await reported('logged')
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited'])
    await until(() => readFileSync(file, 'utf8').includes('"later"'))
    finish()
    assert.equal(await ended, 0)
    assertComplete(
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      'EFBIG',
    )
  })

  for (const [why, open] of [
    ['the disk is full', () => openSync('/dev/full', 'w')],
    ['nothing reads it any more', () => 'pipe' as const],
  ] as const) {
    it(`does not end the process: ${why}`, async () => {
      const { child, ended, finish, reported } = start(open())
      child.stdout?.destroy()
      await reported('logged')
      finish()
      await reported('ending')
      assert.equal(await ended, 0)
    })
  }

  it('does not delay the end of the process for long when its reader hangs', async () => {
    const { child, ended, finish, reported } = start('pipe')
    await reported('logged')
    finish()
    assert.equal(await ended, 0)
    child.stdout?.destroy()
  })
})

it('a service whose log is not read answers all requests', async () => {
  const service = await useTestApp()
  const node = await startProcess(service, { isRead: false })
  try {
    // Each line has more than 200 bytes, and a pipe holds 65,536.
    for (let i = 0; i < 60; i++) {
      const requests = Array.from({ length: 15 }, () => rawRequest('GET /api/nothing', { connection: 'keep-alive' }))
      const answers = await exchange(node.address, ...requests, rawRequest('GET /api/health/ready'))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [...Array(15).fill(404), 200],
      )
    }
    node.signal('SIGTERM')
    assert.equal(await node.ended, 0)
  } finally {
    await node.close()
  }
})
