import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { run } from 'node:test'
import { readOptions } from './options.ts'
import { startTestServer } from './test-server.ts'

// Runs the tests on the embedded PostgreSQL and on the oldest supported version, when it is installed. Each server is
// started for the run in a folder of its own, and each test file copies a database that was migrated once. Files that asked
// for nothing of the first server would do the same beside the second one, so they run once.

const OLDEST_BIN_DIR = '/usr/lib/postgresql/15/bin'
const FILES_AT_ONCE = 3
const SLOWEST_SHOWN = 10
/** Only ends what hangs: the longest test takes four minutes beside others on two cores, and a machine may be busy. */
const TIMEOUT_MS = 480_000
/** A test that hangs fails after its timeout, but its process may stay: then nothing ends any more, in twice the time. */
const SILENCE_MAX_MS = 2 * TIMEOUT_MS

interface Outcome {
  passed: number
  failed: number
}

/** What runs when no file is named. */
const SUITES = {
  all: { files: '{src,test,fuzz,clients,console}/**/*.test.ts', without: ['test/{programs,console}/**'] },
  programs: { files: 'test/programs/*.test.ts', without: [] },
  console: { files: '{test/console,examples/*}/*.test.ts', without: [] },
}

const HELP = `npm test [-- FILE…]

Runs all tests, or those of the named files, on the embedded PostgreSQL and on Debian's postgresql-15, when it is installed.
With --embedded it is not tried. --suite programs or --suite console: those that need programs that npm does not bring, or a
browser, as npm run test:programs and npm run test:console do.`

const { positionals, values } = readOptions(
  HELP,
  { allowPositionals: true, options: { embedded: { type: 'boolean' }, suite: { type: 'string', default: 'all' } } },
  {
    check({ positionals, values }) {
      if (!Object.hasOwn(SUITES, values.suite)) throw new Error(`No such suite: ${values.suite}`)
      const missing = positionals.filter((file) => !statSync(file, { throwIfNoEntry: false })?.isFile())
      if (missing.length > 0) throw new Error(`No such test file: ${missing.join(', ')}`)
    },
  },
)
const suite = SUITES[values.suite as keyof typeof SUITES]
const files =
  positionals.length > 0 ? positionals : globSync(suite.files, { exclude: [...suite.without, '**/node_modules/**'] })
const oldest = existsSync(OLDEST_BIN_DIR) && !values.embedded ? [OLDEST_BIN_DIR] : []
const everyServer = [undefined, ...oldest]
const summaries: string[] = []
const secondsOf = new Map<string, number>()
// The long ones first, so that none of them runs alone at the end. The first run has only their sizes to go by.
let remaining = files.toSorted((a, b) => statSync(b).size - statSync(a).size)
for (const binDir of everyServer) {
  if (remaining.length === 0) break
  const { summary, served } = await testOn(binDir, remaining)
  summaries.push(summary)
  const seconds = (file: string) => secondsOf.get(path.resolve(file)) ?? 0
  remaining = remaining.filter((file) => served.has(path.resolve(file))).sort((a, b) => seconds(b) - seconds(a))
}
if (positionals.length === 0) console.log(`Slowest files, in seconds: ${slowestFiles()}`)
console.log(summaries.join('\n'))
if (!values.embedded && oldest.length === 0)
  console.log(`PostgreSQL 15 is not in ${OLDEST_BIN_DIR}: tested on the embedded PostgreSQL only.`)

async function testOn(binDir: string | undefined, chosen: string[]) {
  const started = performance.now()
  const server = await startTestServer(binDir)
  try {
    const tally = path.join(server.folder, 'tally')
    writeFileSync(tally, '')
    process.env.TEST_TALLY = tally
    const users = path.join(server.folder, 'users')
    writeFileSync(users, '')
    process.env.TEST_SERVER_USERS = users
    process.env.TEST_DOCUMENTS = server.folder
    const { passed, failed } = await runFiles(server.version, chosen)
    if (failed > 0 || passed === 0) process.exitCode = 1
    const seconds = Math.round((performance.now() - started) / 1000)
    const answers = readFileSync(tally, 'utf8')
      .split('\n')
      .map(Number)
      .reduce((sum, count) => sum + count, 0)
    return {
      summary: `PostgreSQL ${server.version}: ${passed} passed, ${failed} failed, ${answers} responses validated against the OpenAPI document (${seconds} s)`,
      served: new Set(readFileSync(users, 'utf8').split('\n')),
    }
  } finally {
    await server.stop()
  }
}

async function runFiles(version: string, chosen: string[]): Promise<Outcome> {
  const outcome: Outcome = { passed: 0, failed: 0 }
  const silence = new AbortController()
  const watchdog = setTimeout(() => silence.abort(new Error('The process of a test file did not end')), SILENCE_MAX_MS)
  const events = run({
    files: chosen.map((file) => path.resolve(file)),
    concurrency: FILES_AT_ONCE,
    timeout: TIMEOUT_MS,
    signal: silence.signal,
  })
  events.on('test:complete', () => watchdog.refresh())
  events.on('test:pass', ({ details, skip, todo }) => {
    if (details.type !== 'suite' && !skip && !todo) outcome.passed++
  })
  events.on('test:fail', ({ name, file, line, details }) => {
    if (details.type === 'suite' && details.error.message.includes('subtest')) return
    outcome.failed++
    const where = file ? `${path.relative('.', file)}:${line}` : ''
    console.error(`\nPostgreSQL ${version}  FAILED  ${name}  ${where}\n`, details.error.cause ?? details.error)
  })
  events.on('test:summary', ({ file, duration_ms: ms }) => {
    if (file) secondsOf.set(file, (secondsOf.get(file) ?? 0) + ms / 1000)
  })
  events.on('test:stderr', ({ message }) => process.stderr.write(message))
  for await (const _ of events);
  clearTimeout(watchdog)
  return outcome
}

/** The first to shorten. */
function slowestFiles(): string {
  return [...secondsOf]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SLOWEST_SHOWN)
    .map(([file, seconds]) => `${path.relative('.', file)} ${Math.round(seconds)}`)
    .join(', ')
}
