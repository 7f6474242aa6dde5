import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { useTestApp } from './support/app.ts'
import { type MailServer, startMailServer } from './support/mail.ts'
import { type Person, signUp } from './support/people.ts'
import { type ServiceProcess, startProcess } from './support/processes.ts'
import { until } from './support/until.ts'

const OWNERS = 4
const MEMBERS_EACH = 6
const EXPIRED = 2500
const NOTICES = 400

const service = await useTestApp()
const mailServer: MailServer = await startMailServer()
await service.db.query(`insert into password_attempts (email, failures, window_started_at)
  select 'old' || number, 1, now() - interval '2 days' from generate_series(1, ${EXPIRED}) as number`)
const settings = {
  APP_SECRET: 'a-secret-that-no-test-asks-for-01',
  APP_URL: 'https://app.example.com',
  SMTP_URL: mailServer.url,
}
const nodes: ServiceProcess[] = await Promise.all([
  startProcess(service, { settings: { ...settings, WORKERS: '3' } }),
  startProcess(service, { settings }),
])
after(async () => {
  for (const node of nodes) await node.close()
  await mailServer.close()
})

const linesOf = (message: string) =>
  nodes.flatMap(({ printed }, index) =>
    printed
      .filter((line) => line.includes(message))
      .map((line) => JSON.parse(line))
      .map((line) => ({ ...line, process: `${index} ${line.worker ?? ''}` })),
  )

async function addMembers({ api, company }: Person): Promise<void> {
  for (let index = 0; index < MEMBERS_EACH; index++) {
    const member = { name: `Member ${index}`, email: `m${index}-${company.id}@d${index}.example` }
    const headers = { 'idempotency-key': member.email }
    // On a busy machine it may be answered 503: with the key it can be sent again.
    await until(async () => (await api.post('/companies/users', member, { headers })).status === 201)
  }
}

/** So many at once that the processes get into each other's way. */
const enqueueMany = () =>
  service.db.query(`insert into emails (id, kind, recipient_email, recipient_name, expires_at)
    select gen_random_uuid(), 'password_changed', 'ann@d' || number % 40 || '.example', 'Ann', now() + interval '1 hour'
    from generate_series(1, ${NOTICES}) as number`)

it('does its background work once, in four processes on two nodes', async () => {
  const owners = await Promise.all(
    Array.from({ length: OWNERS }, (_, index) => signUp((nodes[index % nodes.length] as ServiceProcess).client)),
  )
  await Promise.all(owners.map(addMembers))
  await enqueueMany()

  await until(async () => (await service.db.query(`select from emails where status = 'pending'`)).length === 0)
  const emails = await service.db.query<{ id: string }>(`select id from emails where status = 'sent'`)
  assert.ok(emails.length >= OWNERS * MEMBERS_EACH + NOTICES)
  const received = mailServer.received.map(({ mail }) => mail.messageId?.slice(1).split('@')[0])
  assert.deepEqual(received.sort(), emails.map(({ id }) => id).sort())
  await until(() => linesOf('"email sent"').length === emails.length)
  assert.ok(new Set(linesOf('"email sent"').map(({ process }) => process)).size > 1, 'one process sent all emails')

  for (const owner of owners) {
    const { body } = await owner.api.get('/companies/audit/verify')
    assert.deepEqual([body.data.valid, body.data.records], [true, MEMBERS_EACH + 1], JSON.stringify(body.data))
  }
  const unsealed = await service.db.query('select from audit_records where company_id is not null and seq is null')
  assert.equal(unsealed.length, 0)

  await until(() => deletedRows() >= EXPIRED)
  assert.equal(deletedRows(), EXPIRED)
  assert.equal((await service.db.query('select from password_attempts')).length, 0)
})

const deletedRows = () =>
  linesOf('"deleted expired rows"').reduce((sum, { deleted }) => sum + deleted.password_attempts, 0)
