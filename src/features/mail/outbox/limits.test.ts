import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTestApp, useTestApp } from '../../../../test/support/app.ts'
import { addMember, join } from '../../../../test/support/members.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../../test/support/people.ts'

const LIMIT = 5
const BOUNDED = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000000', TRUST_PROXY: 'loopback' }

const service = await useTestApp({ ...BOUNDED, EMAILS_PER_HOUR: String(LIMIT), REQUIRE_VERIFIED_EMAIL: 'true' })

const users = '/companies/users'
const add = (by: Person, email = anyEmail()) => by.api.post(users, { name: 'Bob', email })
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()

let networks = 0
/** A client in a network of its own, because signing up is limited for each network. */
const elsewhere = () => ({ headers: { 'x-forwarded-for': `10.1.${networks >> 8}.${networks++ & 255}` } })
const newcomer = () => signUp(service.client.with(elsewhere()))

/** A person with a verified address, who may enter the companies that add them. */
async function verified(): Promise<Person> {
  const person = await newcomer()
  const token = await service.mailbox.token(person.email, 'confirm_email')
  await service.client.post('/auth/verify-email', { token }, elsewhere())
  return person
}

/** An account that the company created, with a password of its own. It takes one email of the company. */
async function managed(by: Person): Promise<Person> {
  const { email } = await addMember(by)
  const emails = await service.mailbox.to(email, 'temporary_password')
  const temporary = /^\w{16}$/m.exec(emails.at(-1)?.text ?? '')?.[0] as string
  const client = service.client.with(elsewhere())
  const held = await signIn(client, email, temporary)
  await held.api.post('/auth/change-temporary-password', { currentPassword: temporary, newPassword: PASSWORD })
  return signIn(client, email)
}

const letPass = (seconds: number) =>
  service.db.query(`update emails set created_at = created_at - make_interval(secs => $1)`, [seconds])

/** The seconds that the caller has to wait. */
function secondsOf(answer: { status: number; headers: Headers; body: Record<string, unknown> }): number {
  assertProblem(answer, 429, 'email_limit_reached')
  return Number(answer.headers.get('retry-after'))
}

const countOf = async (statement: string, values: unknown[]) =>
  Number((await service.db.query<{ count: string }>(`select count(*) from ${statement}`, values))[0]?.count)

async function useUp(by: Person, emails = LIMIT): Promise<void> {
  for (let email = 0; email < emails; email++) assert.equal((await add(by)).status, 201)
}

it('refuses a request whose email would exceed the limit of its sender, and changes nothing', async () => {
  const [ann, guest, friend] = [await verified(), await verified(), await verified()]
  const bob = await managed(ann)
  await join(ann, guest)
  await useUp(ann, LIMIT - 2)
  const newEmail = anyEmail()

  secondsOf(await add(ann, newEmail))
  secondsOf(await add(ann, friend.email))
  secondsOf(await ann.api.post(`/companies/${ann.company.id}/members`, { userId: friend.id }))
  secondsOf(await ann.api.put('/auth/profile', { name: 'Another Ann', email: newEmail }))
  secondsOf(await ann.api.post(`${users}/${guest.id}/reset-password-email`))
  secondsOf(await ann.api.post(`/companies/${ann.company.id}/ownership-transfer`, { userId: guest.id }))

  assert.equal(await countOf('accounts where email = $1', [newEmail]), 0)
  assert.equal(await countOf('memberships where account_id = $1 and company_id = $2', [friend.id, ann.company.id]), 0)
  const { user } = (await ann.api.get('/auth/me')).body.data
  assert.deepEqual([user.name, user.pending_email], [ann.name, undefined])
  assert.equal(await countOf(`passwords where account_id = $1 and kind = 'temporary'`, [guest.id]), 0)
  assert.equal(await countOf('ownership_offers where company_id = $1', [ann.company.id]), 0)
  assert.equal((await bob.api.get('/auth/me')).status, 200)
})

it('signs a managed account out although no email can be sent, and says so', async () => {
  const ann = await newcomer()
  const bob = await managed(ann)
  await useUp(ann, LIMIT - 1)

  const { status, body } = await ann.api.post(`${users}/${bob.id}/reset-password-email`)

  assert.deepEqual([status, body.data], [200, { emailed: false, replaced: true }])
  assert.match(body.message, /no email was sent/)
  assertProblem(await bob.api.get('/auth/me'), 401, 'token_invalid')
  const login = { email: bob.email, password: PASSWORD }
  assertProblem(await service.client.post('/auth/login', login, elsewhere()), 401, 'credentials_wrong')
  assert.deepEqual(await service.mailbox.to(bob.email, 'password_reset'), [])
})

it('says how long to wait, and accepts the request after that', async () => {
  const ann = await newcomer()
  await useUp(ann, LIMIT - 1)
  await letPass(600)
  await useUp(ann, 1)

  const seconds = secondsOf(await add(ann))

  assert.ok(seconds > 2400 && seconds <= 3000, `${seconds} s`)
  await letPass(seconds - 60)
  assert.ok(secondsOf(await add(ann)) <= 60)
  await letPass(60)
  await useUp(ann, LIMIT - 1)
  secondsOf(await add(ann))
})

it('bounds an account over all its companies, and a company over all its members', async () => {
  const [ann, eve] = [await verified(), await verified()]
  const { data: second } = (await ann.api.post('/companies', { name: `Second ${ann.id}`, taxId: '1' })).body
  const annElsewhere = { ...ann, company: second, api: ann.api.with({ company: second.id }) }
  const admin = await join(annElsewhere, eve, ['Admin'])
  await useUp(annElsewhere, 2)
  await useUp(ann, 2)

  secondsOf(await add(ann))
  secondsOf(await add(annElsewhere))
  await useUp(admin, 2)
  secondsOf(await add(admin))
  // What she sent for that company counts in her own, too.
  await useUp(eve, LIMIT - 2)
  secondsOf(await add(eve))
})

it('counts exactly when many requests in many companies arrive at once', async () => {
  const ann = await newcomer()
  const companies = [ann.company.id]
  for (const name of ['B', 'C', 'D'])
    companies.push((await ann.api.post('/companies', { name: `${name} ${ann.id}`, taxId: '1' })).body.data.id)

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      add({ ...ann, api: ann.api.with({ company: companies[number % companies.length] }) }),
    ),
  )

  assert.deepEqual(statuses(answers), [...Array(LIMIT).fill(201), ...Array(20 - LIMIT).fill(429)])
  assert.equal(await countOf('emails where sender_account_id = $1', [ann.id]), LIMIT)
})

it('withholds a link to a new address and keeps the last one valid', async () => {
  const ann = await newcomer()
  const email = anyEmail()
  await ann.api.put('/auth/profile', { email })

  const answers = await Promise.all(Array.from({ length: 9 }, () => ann.api.post('/auth/profile/email/resend')))

  assert.deepEqual(statuses(answers), [...Array(4).fill(200), ...Array(5).fill(429)])
  for (const answer of answers.filter(({ status }) => status === 429)) secondsOf(answer)
  const token = await service.mailbox.token(email, 'change_email')
  assert.equal((await service.client.post('/auth/verify-email', { token }, elsewhere())).status, 200)
})

it('withholds no notice about security or a deleted company, and counts none', async () => {
  const ann = await newcomer()
  let password = PASSWORD
  for (const next of ['Aa1-horse', 'Bb2-horse', 'Cc3-horse', 'Dd4-horse', 'Ee5-horse', 'Ff6-horse', 'Gg7-horse']) {
    const change = { currentPassword: password, newPassword: next }
    assert.equal((await ann.api.post('/auth/change-password', change)).status, 200)
    password = next
  }
  assert.equal((await service.mailbox.to(ann.email, 'password_changed')).length, 7)
  const owner = await verified()
  await join(ann, owner, ['Owner'])

  for (let closing = 0; closing < 6; closing++) {
    assert.equal((await ann.api.delete(`/companies/${ann.company.id}`)).status, 200)
    assert.equal((await ann.api.post(`/companies/${ann.company.id}/restore`)).status, 200)
  }

  for (const { email } of [ann, owner]) assert.equal((await service.mailbox.to(email, 'company_deleted')).length, 6)
  await useUp(ann, LIMIT - 1)
  secondsOf(await add(ann))
  assert.equal((await ann.api.delete(`/companies/${ann.company.id}`)).status, 200)
  assert.equal((await service.mailbox.to(owner.email, 'company_deleted')).length, 7)
})

it('refuses what an account could repeat to flood a mailbox that may belong to another person', async () => {
  const ann = await newcomer()
  const noticed = (kind: string, count: number) =>
    service.db.query(
      `insert into emails (id, kind, recipient_email, recipient_name, expires_at)
       select gen_random_uuid(), $1, $2, 'Ann', now() from generate_series(1, $3)`,
      [kind, ann.email, count],
    )
  const change = () => ann.api.post('/auth/change-password', { currentPassword: PASSWORD, newPassword: 'Aa1-horse' })
  const move = () => ann.api.put('/auth/profile', { email: anyEmail() })
  for (const kind of ['password_changed', 'email_change_requested']) await noticed(kind, 10)

  for (const attempt of [change, move]) secondsOf(await attempt())

  assert.equal((await ann.api.get('/auth/me')).body.data.user.pending_email, undefined)
  await signIn(service.client.with(elsewhere()), ann.email, PASSWORD)
  await letPass(3600)
  for (const attempt of [move, change]) assert.equal((await attempt()).status, 200)
})

it('does not count a request that is repeated with its key, nor keep the refusal for it', async () => {
  const ann = await newcomer()
  await useUp(ann, LIMIT - 1)
  const body = { name: 'Bob', email: anyEmail() }
  const keyed = (key: string, sent: object) => ann.api.post(users, sent, { headers: { 'idempotency-key': key } })

  for (let time = 0; time < 3; time++) assert.equal((await keyed('first', body)).status, 201)
  const other = { name: 'Eve', email: anyEmail() }
  secondsOf(await keyed('second', other))
  await letPass(3600)

  assert.equal((await keyed('second', other)).status, 201)
  assert.equal(await countOf('emails where sender_account_id = $1', [ann.id]), LIMIT + 1)
})

it('answers a sign-up the same way when its confirmation is withheld', async () => {
  const email = anyEmail()
  await service.db.query(
    `insert into emails (id, kind, recipient_email, recipient_name, expires_at)
     select gen_random_uuid(), 'confirm_email', $1, 'Ann', now() from generate_series(1, 5)`,
    [email],
  )

  const ann = await signUp(service.client.with(elsewhere()), { email })

  assert.equal((await ann.api.get('/auth/me')).status, 200)
  assert.equal(await countOf('emails where recipient_email = $1', [email]), 5)
})

for (const [settings, means] of [
  [{ RATE_LIMIT_ENABLED: 'false' }, 'lifts every bound'],
  [{ ...BOUNDED, EMAILS_PER_HOUR: '0' }, 'leaves the one of the recipient'],
] as const) {
  it(`${means}: ${JSON.stringify(settings)}`, async () => {
    const node = await startTestApp({ EMAILS_PER_HOUR: '3', ...settings }, service.db)
    const ann = await signUp(node.client)
    for (let member = 0; member < 4; member++) assert.equal((await add(ann)).status, 201)
    const email = anyEmail()
    await ann.api.put('/auth/profile', { email })

    const answers = []
    for (let time = 0; time < 6; time++) answers.push(await ann.api.post('/auth/profile/email/resend'))

    const isLifted = settings.RATE_LIMIT_ENABLED === 'false'
    assert.deepEqual(statuses(answers), isLifted ? Array(6).fill(200) : [...Array(4).fill(200), 429, 429])
    await node.close()
  })
}
