import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { afterCommit } from '../src/database/queries.ts'
import { asAnyone } from '../src/database/scopes.ts'
import { sessionCounts } from '../src/features/accounts/session-counts.ts'
import { definitionOf, type MetricName } from '../src/metrics/catalogue.ts'
import { answerCollections, type Channel, collectFrom } from '../src/metrics/processes.ts'
import { metricNames, type Samples, together } from '../src/metrics/samples.ts'
import { textOf } from '../src/metrics/text.ts'
import { startTestApp } from './support/app.ts'
import { ask } from './support/http.ts'
import { anyEmail, PASSWORD, signUp } from './support/people.ts'
import { sampleOf, seriesOf, startRunningService } from './support/running.ts'
import { until } from './support/until.ts'

const root = path.join(import.meta.dirname, '..')
const service = await startRunningService({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '200' })
after(() => service.close())
const ann = await signUp(service.client)

const durations = 'tenantry_http_request_duration_seconds'
const seriesWith = (labels: string) => `${durations}_count{${labels}}`

describe('a scrape', () => {
  it('has every metric, and nothing that the catalogue does not name', async () => {
    await ann.api.delete('/auth/sessions')
    const names = new Set([...(await service.scrape()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
    assert.deepEqual([...names].sort(), metricNames.toSorted())
  })

  it('is what Prometheus reads and its linter accepts', async () => {
    const { status, stderr, stdout } = promtool(['check', 'metrics'], await service.scrape())
    assert.deepEqual([status, stderr, stdout], [0, '', ''])
  })

  it('counts requests by method, pattern and status, with how long they took', async () => {
    const series = seriesWith('method="GET",route="/api/auth/me",status="200"')
    const before = sampleOf(await service.scrape(), series) ?? 0
    for (let i = 0; i < 3; i++) await ann.api.get('/auth/me')
    await service.client.get('/auth/me')
    const text = await service.scrape()
    assert.equal(sampleOf(text, series), before + 3)
    assert.equal(
      sampleOf(text, `${durations}_bucket{method="GET",route="/api/auth/me",status="200",le="+Inf"}`),
      before + 3,
    )
    assert.ok((sampleOf(text, `${durations}_sum{method="GET",route="/api/auth/me",status="200"}`) ?? 0) > 0)
    assert.ok((sampleOf(text, seriesWith('method="GET",route="/api/auth/me",status="401"')) ?? 0) >= 1)
  })

  it('has one series for all paths and methods that strangers invent', async () => {
    for (let i = 0; i < 5; i++) await service.client.get(`/invented-${i}/x${i}?a=${i}`)
    await ask(service.address, 'GET /%zz')
    await ask(service.address, 'PROPFIND /api/auth/me')
    await ask(service.address, 'INVENTED /api/auth/me')
    await ask(service.address, 'LOCK /api/nothing')
    const unknown = seriesOf(await service.scrape(), `${durations}_count`).filter((labels) =>
      labels.includes('route=""'),
    )
    assert.deepEqual(unknown.toSorted(), [
      '{method="GET",route="",status="400"}',
      '{method="GET",route="",status="404"}',
      '{method="_OTHER",route="",status="400"}',
      '{method="_OTHER",route="",status="404"}',
    ])
  })

  it('counts sessions that begin and end, by reason, and emails by result', async () => {
    const text = await service.scrape()
    const email = anyEmail()
    const bob = await signUp(service.client, { email })
    await bob.api.post('/auth/logout', { refreshToken: bob.refreshToken })
    await service.client.post('/auth/forgot-password', { email })
    const counted = async (series: string) =>
      (sampleOf(await service.scrape(), series) ?? 0) - (sampleOf(text, series) ?? 0)
    assert.equal(await counted('tenantry_sessions_created_total'), 1)
    assert.equal(await counted('tenantry_sessions_revoked_total{reason="signed_out"}'), 1)
    await until(async () => (await counted('tenantry_email_attempts_total{result="sent"}')) > 0)
    await until(async () => (await counted('tenantry_audit_sealed_records_total')) > 0)
  })

  it('counts what limits count and refuse', async () => {
    const name = 'tenantry_limit_refused_total{limit="login"}'
    const before = sampleOf(await service.scrape(), name) ?? 0
    for (let i = 0; i < 8; i++) await service.client.post('/auth/login', { email: anyEmail(), password: PASSWORD })
    const text = await service.scrape()
    assert.ok((sampleOf(text, name) ?? 0) > before)
    assert.ok((sampleOf(text, 'tenantry_limit_requests_total{limit="general"}') ?? 0) > 0)
  })

  it('shows what waits for the workers', async () => {
    await service.db.query(
      `insert into emails (id, kind, recipient_email, recipient_name, next_attempt_at, created_at, expires_at)
       values (gen_random_uuid(), 'any', 'a@b.example', 'A', now() + interval '1 hour', now() - interval '2 hours',
         now() + interval '2 hours')`,
    )
    await until(async () => (sampleOf(await service.scrape(), 'tenantry_outbox_oldest_seconds') ?? 0) >= 7200)
    const text = await service.scrape()
    assert.equal(sampleOf(text, 'tenantry_outbox_emails'), 1)
    assert.equal(sampleOf(text, 'tenantry_outbox_overdue_seconds'), 0)
    assert.equal(sampleOf(text, 'tenantry_database_up'), 1)
  })

  it('never waits for the database: it goes without what it can not read', async () => {
    await service.db.query('begin')
    await service.db.query('lock table emails in access exclusive mode')
    try {
      await until(async () => sampleOf(await service.scrape(), 'tenantry_database_up') === 0)
      const text = await service.scrape()
      assert.equal(sampleOf(text, 'tenantry_outbox_emails'), undefined)
      assert.equal(sampleOf(text, 'tenantry_processes'), 1)
    } finally {
      await service.db.query('rollback')
    }
    await until(async () => sampleOf(await service.scrape(), 'tenantry_database_up') === 1)
  })

  it('is all that the port serves', async () => {
    const [, address = ''] = /"address":"(http:[^"]+)\/metrics"/.exec(service.logged.join('')) ?? []
    assert.equal((await fetch(`${address}/`)).status, 404)
    assert.equal((await fetch(`${address}/api/health`)).status, 404)
    assert.equal((await fetch(`${address}/metrics`, { method: 'POST' })).status, 405)
    assert.equal((await fetch(`${service.address}/metrics`)).status, 404)
  })
})

it('a start logs the version and the migrations that it ran', () => {
  const line = service.logged.map((each) => JSON.parse(each)).find(({ msg }) => msg === 'starting')
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  assert.equal(line.version, version)
  assert.match(line.migration, /^\d{4}_\w+$/)
  assert.deepEqual(line.migrated, [])
})

it('health probes are logged for debugging alone', async () => {
  const start = service.logged.length
  await service.client.get('/health')
  await service.client.get('/health/ready')
  const lines = () => service.logged.slice(start).map((each) => JSON.parse(each))
  await until(() => lines().filter(({ msg }) => msg === 'request completed').length === 2)
  assert.deepEqual(new Set(lines().map(({ level }) => level)), new Set([20]))
})

it('a session of a transaction that was rolled back is not counted', async () => {
  const app = await startTestApp()
  after(() => app.close())
  const before = sessionCounts.created
  const failure = app.database.write(asAnyone, async (tx) => {
    afterCommit(tx, () => assert.fail('counted'))
    throw new Error('rolled back')
  })
  await assert.rejects(failure, /rolled back/)
  assert.equal(sessionCounts.created, before)
})

it('numbers of several processes are added, and of what they share the highest is taken', () => {
  const times = (counts: number[], sum: number) => ({ bounds: [1], counts, sum })
  const all = together([
    {
      tenantry_processes: [{ value: 1 }],
      tenantry_outbox_emails: [{ value: 7 }],
      tenantry_database_wait_seconds: [{ value: times([1, 2], 5) }],
      tenantry_limit_requests_total: [{ labels: { limit: 'a' }, value: 2 }],
    },
    {
      tenantry_processes: [{ value: 1 }],
      tenantry_outbox_emails: [{ value: 9 }],
      tenantry_database_wait_seconds: [{ value: times([3, 0], 1) }],
      tenantry_limit_requests_total: [
        { labels: { limit: 'a' }, value: 3 },
        { labels: { limit: 'b"\\' }, value: 1 },
      ],
    },
  ])
  const lines = textOf(all)
    .split('\n')
    .filter((line) => !line.startsWith('#'))
  assert.deepEqual(lines.slice(0, -1), [
    'tenantry_processes 2',
    'tenantry_database_wait_seconds_bucket{le="1"} 4',
    'tenantry_database_wait_seconds_bucket{le="+Inf"} 6',
    'tenantry_database_wait_seconds_sum 6',
    'tenantry_database_wait_seconds_count 6',
    'tenantry_limit_requests_total{limit="a"} 5',
    'tenantry_limit_requests_total{limit="b\\"\\\\"} 1',
    'tenantry_outbox_emails 9',
  ])
})

it('the primary process collects from each worker once, and reads what they share through one of them', async () => {
  const asked: boolean[] = []
  const workers = [1, 2].map((connections) => {
    const [primary, worker] = [new EventEmitter(), new EventEmitter()]
    const collector = {
      async collect({ withBacklog = true } = {}): Promise<Samples> {
        asked.push(withBacklog)
        return {
          tenantry_http_connections: [{ value: connections }],
          ...(withBacklog && { tenantry_outbox_emails: [{ value: 5 }] }),
        }
      },
      stop() {},
    }
    const { stop } = answerCollections(channelOver(primary, worker), collector)
    after(stop)
    return channelOver(worker, primary)
  })
  const samples = together(await collectFrom(workers))
  assert.deepEqual(samples, { tenantry_http_connections: [{ value: 3 }], tenantry_outbox_emails: [{ value: 5 }] })
  assert.deepEqual(asked, [true, false])
})

/** What one side sends, the other receives, as JSON. */
function channelOver(other: EventEmitter, own: EventEmitter): Channel {
  return {
    send(message) {
      setImmediate(() => other.emit('message', JSON.parse(JSON.stringify(message))))
      return true
    },
    on: (event, listener) => own.on(event, listener),
    off: (event, listener) => own.off(event, listener),
  }
}

describe('docs/operations.md', () => {
  it('has a row for each metric, with its type and labels', async () => {
    const page = readFileSync(path.join(root, 'docs', 'operations.md'), 'utf8')
    const rows = [...page.matchAll(/^\| `(\w+)`\s+\| (\w+)\s+\| ([^|]*?)\s+\| /gm)]
    const text = await service.scrape()
    const expected = metricNames.map((name) => [name, definitionOf(name).type, labelsOf(text, name)])
    assert.deepEqual(
      rows.map(([, name, type, labels]) => [name, type, labels]),
      expected,
    )
  })
})

/** Such as `pool`, `reason`; without the bounds of buckets. */
function labelsOf(text: string, name: MetricName): string {
  const suffix = definitionOf(name).type === 'histogram' ? '_count' : ''
  const [labels = ''] = seriesOf(text, name + suffix)
  return [...labels.matchAll(/(\w+)="/g)].map(([, label]) => `\`${label}\``).join(', ')
}

function promtool(options: string[], input: string) {
  const { error, ...result } = spawnSync('promtool', options, { input, encoding: 'utf8' })
  if (error) throw new Error('This test needs promtool, of the Debian package prometheus', { cause: error })
  return result
}
