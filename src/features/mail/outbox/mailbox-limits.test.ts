import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changeAddress } from '../../../../test/support/addresses.ts'
import { useTestApp } from '../../../../test/support/app.ts'
import { invitationToken, invite, registerInvited } from '../../../../test/support/invitations.ts'
import { join, link } from '../../../../test/support/members.ts'
import { assertProblem, type Person, signIn, signUp } from '../../../../test/support/people.ts'
import { setPolicy } from '../../../../test/support/policies.ts'
import { remindOfSecondFactors } from '../../companies/policy/reminders.ts'
import type { EmailKind } from './emails.ts'

const service = await useTestApp({
  RATE_LIMIT_ENABLED: 'true',
  RATE_LIMIT_PER_MINUTE: '1000000',
  TRUST_PROXY: 'loopback',
})

const users = '/companies/users'
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()

let networks = 0
/** A network of its own, because signing up and in is limited for each network. */
const anyClient = () =>
  service.client.with({ headers: { 'x-forwarded-for': `10.2.${networks >> 8}.${networks++ & 255}` } })
const newcomer = () => signUp(anyClient())

const add = (by: Person, { email }: Person, as = email) => by.api.post(users, { name: 'Bob', email: as })
const close = ({ api, company }: Person) => api.delete(`/companies/${company.id}`)
const mailPassword = (by: Person, { id }: Person) => by.api.post(`${users}/${id}/reset-password-email`)
const emailsTo = async ({ email }: Person, kind: EmailKind) => (await service.mailbox.to(email, kind)).length

const letPassAnHour = () => service.db.query(`update emails set created_at = created_at - interval '1 hour'`)

/** Emails that the mailbox had within the hour because of others. */
const receive = ({ email }: Person, kind: EmailKind, count: number) =>
  service.db.query(
    `insert into emails (id, kind, recipient_email, recipient_name, expires_at, sender_company_id, sender_account_id)
     select gen_random_uuid(), $1, $2, 'Bob', now(), gen_random_uuid(), gen_random_uuid() from generate_series(1, $3)`,
    [kind, email, count],
  )

/** Without those of `receive`. */
const written = async ({ email }: Person, kind: EmailKind) =>
  (
    await service.db.query(`select from emails where recipient_email = $1 and kind = $2 and params ? 'company'`, [
      email,
      kind,
    ])
  ).length

async function found(by: Person, name: string): Promise<Person> {
  const { status, body } = await by.api.post('/companies', { name: `${name} ${by.id}`, taxId: '1' })
  assert.equal(status, 201, JSON.stringify(body))
  return { ...by, company: body.data, api: by.api.with({ company: body.data.id }) }
}

async function foundAndClose(by: Person, companies: number): Promise<void> {
  for (let number = 0; number < companies; number++)
    assert.equal((await close(await found(by, `C${number}`))).status, 200)
}

describe('one mailbox', () => {
  it('gets five emails of a kind an hour from a company, ignoring case, and other companies may still add it', async () => {
    const [ann, eve, bob] = [await newcomer(), await newcomer(), await newcomer()]
    for (const email of [bob.email, bob.email.toUpperCase(), `  ${bob.email}`, bob.email, bob.email]) {
      assert.equal((await add(eve, bob, email)).status, 201)
      assert.equal((await eve.api.delete(`${users}/${bob.id}`)).status, 200)
    }
    assertProblem(await add(eve, bob), 429, 'email_limit_reached')
    assertProblem(await add(eve, bob, bob.email.toUpperCase()), 429, 'email_limit_reached')

    assert.equal((await add(ann, bob)).status, 201)

    assert.equal(await emailsTo(bob, 'added_to_company'), 6)
  })

  it('gets a password by email from its company, however many another company has sent', async () => {
    const [ann, eve] = [await newcomer(), await newcomer()]
    const bob = await join(ann, await newcomer())
    await link(eve, bob)
    for (let time = 0; time < 5; time++) assert.equal((await mailPassword(eve, bob)).status, 200)
    assertProblem(await mailPassword(eve, bob), 429, 'email_limit_reached')

    assert.equal((await mailPassword(ann, bob)).status, 200)
  })

  it('gets twenty of a kind an hour from all companies, exactly, however many ask at once', async () => {
    const bob = await newcomer()
    await receive(bob, 'added_to_company', 17)
    await receive(bob, 'password_reset', 20)
    const companies = await Promise.all(Array.from({ length: 9 }, newcomer))

    const answers = await Promise.all(companies.map((by) => add(by, bob)))

    assert.deepEqual(statuses(answers), [...Array(3).fill(201), ...Array(6).fill(429)])
    for (const answer of answers.filter(({ status }) => status === 429))
      assertProblem(answer, 429, 'email_limit_reached')
    await letPassAnHour()
    const refused = companies[answers.findIndex(({ status }) => status === 429)] as Person
    assert.equal((await add(refused, bob)).status, 201)
  })

  it('of an account that never verified it gets seventy reminders and accepted invitations an hour, from its first companies', async () => {
    const [squatted, verified] = [await newcomer(), await newcomer()]
    await service.db.query('update accounts set email_verified_at = now() where id = $1', [verified.id])
    const { signal } = new AbortController()
    const { emailLimits } = service.parts.config
    for (const [person, more] of [
      [squatted, 1],
      [verified, 3],
    ] as const) {
      for (const kind of ['second_factor_due', 'invitation_accepted'] as const) await receive(person, kind, 69)
      const companies = [person, await found(person, 'B'), await found(person, 'C')]
      for (const { company } of companies)
        await setPolicy(
          service.db,
          company.id,
          `policy_factor_from = now() + interval '10 days', policy_remind_at = now(), policy_factor_roles = null`,
        )
      await remindOfSecondFactors(service.database, { emailLimits, signal, onFailure: (error) => assert.fail(error) })
      assert.equal(await written(person, 'second_factor_due'), more)
      for (const company of companies)
        await registerInvited(
          { ...service, client: anyClient() },
          await invitationToken(service, await invite(company)),
        )
      assert.equal(await written(person, 'invitation_accepted'), more)
    }
  })

  it('of an account that never verified it gets ten accepted invitations an hour from one company, and hears that others are withheld', async () => {
    const ann = await newcomer()
    const junk = await found(ann, 'B')
    await receive(ann, 'invitation_accepted', 10)
    await service.db.query(`update emails set sender_company_id = $1 where recipient_email = $2 and params = '{}'`, [
      junk.company.id,
      ann.email,
    ])
    const accept = async (by: Person) =>
      registerInvited({ ...service, client: anyClient() }, await invitationToken(service, await invite(by)))
    await accept(junk)
    assert.equal(await written(ann, 'invitation_accepted'), 0)
    assert.equal(await emailsTo(ann, 'notices_withheld'), 1)
    await accept(ann)
    assert.equal(await written(ann, 'invitation_accepted'), 1)
  })

  it('that can take the account back hears of each company that is deleted in its name', async () => {
    const ann = await newcomer()
    for (const name of ['B', 'C', 'D', 'E']) await found(ann, name)
    const last = await found(ann, 'F')
    const email = await changeAddress(service, ann)
    for (const address of [ann.email, email]) await receive({ ...ann, email: address }, 'company_deleted', 10)
    assert.equal((await close(last)).status, 200)
    assert.equal(await written(ann, 'company_deleted'), 1)
    assert.equal(await written({ ...ann, email }, 'company_deleted'), 0)
    assert.equal(await emailsTo({ ...ann, email }, 'notices_withheld'), 1)
  })

  it('gets five exactly from a company whose members ask at once', async () => {
    const [ann, bob] = [await newcomer(), await newcomer()]
    const member = await join(ann, bob)

    const answers = await Promise.all(Array.from({ length: 12 }, () => mailPassword(ann, member)))

    assert.deepEqual(statuses(answers), [...Array(5).fill(200), ...Array(7).fill(429)])
  })
})

describe('notices of refresh tokens that were used again', () => {
  /** A session of its own whose first token is exchanged and comes again; gives what presents it once more. */
  async function reuse(email: string) {
    const client = anyClient()
    const { refreshToken } = await signIn(client, email)
    const present = () => client.post('/auth/refresh', { refreshToken })
    assert.equal((await present()).status, 200)
    return present
  }
  const attemptsOf = async ({ id }: Person) => {
    const [row] = await service.db.query<{ count: string }>(
      `select count(*) from audit_records where actor_id = $1 and outcome = 'refresh_token_invalid'`,
      [id],
    )
    return Number(row?.count)
  }

  it('are ten an hour for one mailbox, exactly; what is refused stays refused and recorded', async () => {
    const ann = await newcomer()
    const spent = await Promise.all(Array.from({ length: 14 }, () => reuse(ann.email)))

    const answers = await Promise.all(spent.map((present) => present()))

    for (const answer of answers) assertProblem(answer, 401, 'refresh_token_invalid')
    assert.equal(await emailsTo(ann, 'refresh_token_reused'), 10)
    assert.equal(await attemptsOf(ann), 14)
  })

  it('are sent later for a session whose email was withheld', async () => {
    const ann = await newcomer()
    await receive(ann, 'refresh_token_reused', 10)
    const present = await reuse(ann.email)
    const reused = async () =>
      (await service.db.query(`select from emails where recipient_email = $1 and recipient_name <> 'Bob'`, [ann.email]))
        .length
    const before = await reused()
    assertProblem(await present(), 401, 'refresh_token_invalid')
    assert.equal(await reused(), before)
    await letPassAnHour()

    for (let time = 0; time < 2; time++) assertProblem(await present(), 401, 'refresh_token_invalid')

    assert.equal(await reused(), before + 1)
  })
})

describe('notices of deleted companies', () => {
  it('prevent no deletion: each other owner is notified, however many notices it has had', async () => {
    const [ann, eve] = [await newcomer(), await newcomer()]
    await join(ann, eve, ['Owner'])
    await foundAndClose(eve, 11)
    assert.equal(await emailsTo(eve, 'company_deleted'), 10)

    assert.equal((await close(ann)).status, 200)

    assert.equal(await emailsTo(eve, 'company_deleted'), 11)
    assert.equal(await emailsTo(ann, 'company_deleted'), 1)
  })

  it('notify an owner ten times an hour of one company that is deleted repeatedly, and of each other company', async () => {
    const [ann, eve] = [await newcomer(), await newcomer()]
    const [first, second] = [await found(eve, 'First'), await found(eve, 'Second')]
    for (const company of [first, second]) await join(company, ann, ['Owner'])
    for (let time = 0; time < 12; time++) {
      assert.equal((await close(first)).status, 200)
      assert.equal((await first.api.post(`/companies/${first.company.id}/restore`)).status, 200)
    }
    assert.equal(await emailsTo(ann, 'company_deleted'), 10)

    assert.equal((await close(second)).status, 200)

    assert.equal(await emailsTo(ann, 'company_deleted'), 11)
    // A thief in the account deletes no company unheard that was there before those of the thief.
    assert.equal(await emailsTo(eve, 'company_deleted'), 11)
  })
})
