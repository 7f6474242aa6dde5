import { setTimeout as pause } from 'node:timers/promises'
import { readOptions } from '../../scripts/options.ts'
import { closeOnSignals, closingAtEnd } from '../faults/cleanup.ts'
import { freePort } from '../faults/free-port.ts'
import { type PostgresServer, startPostgres } from '../faults/postgres-server.ts'
import { createServiceNode } from '../faults/service-node.ts'
import { startSmtpReceiver } from '../faults/smtp-receiver.ts'
import { Answers, Person } from './person.ts'
import { courseOf, tablesOf } from './report.ts'
import { problemsIn, type Sample, takeSample } from './samples.ts'

const HELP = `npm run test:soak [-- --minutes N]

Runs the service with the settings of production on a PostgreSQL of its own, lets a few people sign up, sign in, read, write
and sign out all the time, and measures memory after a garbage collection, open files, handles, connections, and rows and
sizes of all tables. Exits with 1 when in the second half something grows by more than test/soak/samples.ts allows, or
when a request is not answered as it should be.

  --minutes  how long (default: 15)`

const PEOPLE = 6
const SAMPLE_MS = 15_000
const WARM_UP_MS = 15_000

const { values } = readOptions(
  HELP,
  { options: { minutes: { type: 'string', default: '15' } } },
  {
    check({ values: { minutes } }) {
      if (!(Number(minutes) >= 2)) throw new Error('--minutes must be a number from 2 on')
    },
  },
)

closeOnSignals()
const opened: (() => Promise<void>)[] = []
const opening = async <Part extends { close(): Promise<void> }>(part: Promise<Part>): Promise<Part> => {
  const open = await part
  opened.push(closingAtEnd(() => open.close()))
  return open
}
try {
  if (!(await soak(Number(values.minutes) * 60_000))) process.exitCode = 1
} finally {
  for (const close of opened.reverse()) await close()
}

async function soak(lastsMs: number): Promise<boolean> {
  const postgres = await opening(startPostgres())
  const receiver = await opening(startSmtpReceiver())
  const measurePort = await freePort()
  const node = await opening(createServiceNode(settingsOf({ postgres, smtpPort: receiver.port, measurePort })))
  await node.start()
  const answers = new Answers()
  const people = Array.from({ length: PEOPLE }, () => new Person(node.address, answers))
  const running = people.map((person) => person.run())
  const samples = await sampleFor(lastsMs, `http://127.0.0.1:${measurePort}`, postgres, answers)
  for (const person of people) person.stop()
  await Promise.all(running)
  return report(samples, answers, receiver.received.length)
}

async function sampleFor(
  lastsMs: number,
  measureUrl: string,
  postgres: PostgresServer,
  answers: Answers,
): Promise<Sample[]> {
  await pause(WARM_UP_MS)
  const samples: Sample[] = []
  const since = performance.now()
  for (let nextMs = 0; nextMs <= lastsMs; nextMs += SAMPLE_MS) {
    await pause(Math.max(0, nextMs - (performance.now() - since)))
    const now = { atMs: performance.now() - since, requests: answers.count }
    samples.push(await takeSample(measureUrl, postgres, now))
  }
  return samples
}

function report(samples: Sample[], answers: Answers, emails: number): boolean {
  const problems = [...problemsIn(samples), ...[...answers.wrong].map(([what, count]) => `${what}, ${count} times`)]
  console.log(`${courseOf(samples, SAMPLE_MS)}\n\n${tablesOf(samples)}\n\n${emails} emails were received.`)
  console.log(problems.length === 0 ? 'Nothing grew.' : problems.join('\n'))
  return problems.length === 0
}

function settingsOf(ports: {
  postgres: PostgresServer
  smtpPort: number
  measurePort: number
}): Record<string, string> {
  return {
    NODE_ENV: 'production',
    NODE_OPTIONS: '--expose-gc --max-semi-space-size=8 --import ./test/soak/measure-service.ts',
    MEASURE_PORT: String(ports.measurePort),
    DATABASE_URL: `postgres://tenantry@127.0.0.1:${ports.postgres.port}/tenantry`,
    SMTP_URL: `smtp://127.0.0.1:${ports.smtpPort}`,
    MAIL_FROM: 'Soak <soak@example.com>',
    APP_SECRET: 'cXVpZXQgYnV0IGxvbmcgc29hayBzZWNyZXQgbm8uIDE',
    APP_URL: 'https://app.example.com',
    TRUST_PROXY: 'loopback',
    RATE_LIMIT_PER_MINUTE: '1000000',
    EMAILS_PER_HOUR: '10000',
  }
}
