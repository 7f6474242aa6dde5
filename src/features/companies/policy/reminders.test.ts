import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../../test/support/app.ts'
import { addApp, confirmFactor } from '../../../../test/support/factors.ts'
import { addMember, join } from '../../../../test/support/members.ts'
import { OPERATOR } from '../../../../test/support/operator.ts'
import { type Person, signUp } from '../../../../test/support/people.ts'
import { disableAccount } from '../../auth/disable-account.ts'
import { suspendCompany } from '../suspend-company.ts'
import { remindOfSecondFactors } from './reminders.ts'

const service = await useTestApp()
const { query } = service.db
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

/** As the worker of a node does it. */
async function remind({
  signal = new AbortController().signal,
  ...bounds
}: {
  signal?: AbortSignal
  companiesAtOnce?: number
  emailsAtOnce?: number
  membersAtOnce?: number
} = {}): Promise<void> {
  const { emailLimits } = service.parts.config
  const onFailure = (error: Error) => assert.fail(error)
  await remindOfSecondFactors(service.database, { emailLimits, signal, onFailure, ...bounds })
}

/** An owner whose company asks for a second factor in so many days, and who has one. */
async function ownerAsking(days: number, more: object = {}): Promise<Person> {
  const ann = await signUp(service.client)
  await confirmFactor(service.db, ann.id)
  await query('update sessions set second_factor_at = now() where account_id = $1', [ann.id])
  await ask(ann, days, more)
  return ann
}

async function ask({ api }: Person, days: number, more: object = {}): Promise<void> {
  const secondFactor = { required: 'everybody', from: inDays(days), ...more }
  const { status, body } = await api.patch('/companies/policy', { secondFactor })
  assert.equal(status, 200, JSON.stringify(body))
}

/** Lets days pass for the policy of a company. */
const pass = ({ company }: Person, days: number) =>
  query(
    `update companies set policy_factor_from = policy_factor_from - make_interval(days => $2),
       policy_remind_at = policy_remind_at - make_interval(days => $2),
       policy_reminded_at = policy_reminded_at - make_interval(days => $2) where id = $1`,
    [company.id, days],
  )

const remindersOf = async ({ email }: Pick<Person, 'email'>) => {
  while (await service.mailbox.collect());
  return (await service.mailbox.to(email, 'second_factor_due')).length
}
async function countsOf(people: Pick<Person, 'email'>[]): Promise<number[]> {
  const counts: number[] = []
  for (const person of people) counts.push(await remindersOf(person))
  return counts
}

describe('members without a second factor', () => {
  it('are reminded 14 and 3 days before it is asked for and on that day, once each, and then no more', async () => {
    const ann = await ownerAsking(20)
    const bob = await join(ann, await signUp(service.client))
    const seen: number[] = []
    for (let day = 0; day <= 24; day++) {
      await remind()
      seen.push(await remindersOf(bob))
      await pass(ann, 1)
    }
    const risesAt = (count: number) => seen.indexOf(count)
    assert.deepEqual([risesAt(1), risesAt(2), risesAt(3), seen.at(-1)], [6, 17, 20, 3])
    assert.equal(await remindersOf(ann), 0)
  })

  it('read in their language whose company asks, and from when on', async () => {
    const ann = await ownerAsking(2)
    const subjects = { en: /asks for a second factor/, es: /segundo factor/, pt: /segundo fator/ }
    for (const [locale, subject] of Object.entries(subjects)) {
      const bob = await join(ann, await signUp(service.client))
      await query('update accounts set locale = $2 where id = $1', [bob.id, locale])
      await query('update companies set policy_remind_at = now() where id = $1', [ann.company.id])
      await remind()
      const [email] = await service.mailbox.to(bob.email, 'second_factor_due')
      assert.match(email?.subject ?? '', subject, locale)
      assert.ok(email?.text.includes(ann.company.name))
      assert.match(email?.text ?? '', new RegExp(inDays(2).slice(0, 4)))
    }
  })

  it('are those whom the policy asks for one and who can come in, and no others', async () => {
    const ann = await ownerAsking(10)
    const people = await Promise.all(Array.from({ length: 5 }, () => signUp(service.client)))
    const [lacking, has, inactive, disabled, far] = people as [Person, Person, Person, Person, Person]
    for (const person of [lacking, has, inactive, disabled]) await join(ann, person)
    const unopened = await addMember(ann)
    await confirmFactor(service.db, has.id)
    await ann.api.patch(`/companies/users/${inactive.id}`, { status: 'inactive' })
    await disableAccount(service.database, OPERATOR, disabled.id, { notifies: false })
    await remind()
    assert.deepEqual(await countsOf([lacking, has, inactive, disabled, far, unopened, ann]), [1, 0, 0, 0, 0, 0, 0])
  })

  it('are those with the roles that the policy names', async () => {
    const ann = await ownerAsking(10)
    const roles = (await ann.api.get('/companies/roles')).body.data as { id: string; name: string }[]
    await ask(ann, 10, { required: 'roles', roleIds: [roles.find(({ name }) => name === 'Manager')?.id] })
    const [member, manager] = [
      await join(ann, await signUp(service.client)),
      await join(ann, await signUp(service.client), ['Manager']),
    ]
    await remind()
    assert.deepEqual(await countsOf([member, manager]), [0, 1])
  })

  it('who got a factor in between are let in after the date without signing in again, and get no further email', async () => {
    const ann = await ownerAsking(3)
    const [bob, eve] = [await join(ann, await signUp(service.client)), await join(ann, await signUp(service.client))]
    await remind()
    await addApp(service, bob)
    assert.deepEqual(await query('select count(*)::int as sessions from sessions where account_id = $1', [bob.id]), [
      { sessions: 1 },
    ])
    await pass(ann, 3)
    await remind()
    assert.deepEqual(await countsOf([bob, eve]), [1, 2])
    const entered = await Promise.all([bob, eve].map(({ api }) => api.get(`/companies/${ann.company.id}`)))
    assert.deepEqual(
      entered.map(({ status, body }) => body.code ?? status),
      [200, 'second_factor_required_by_company'],
    )
  })
})

describe('a round of reminders', () => {
  it('reaches every member once, by small batches, by several nodes, and after it was interrupted', async () => {
    const ann = await ownerAsking(10)
    const people: Person[] = []
    for (let i = 0; i < 7; i++) people.push(await join(ann, await signUp(service.client)))
    const stopped = new AbortController()
    const interrupted = remind({ emailsAtOnce: 2, signal: stopped.signal })
    stopped.abort()
    await interrupted
    await Promise.all([1, 2, 3, 4].map((emailsAtOnce) => remind({ emailsAtOnce, membersAtOnce: emailsAtOnce + 1 })))
    await remind({ emailsAtOnce: 2 })
    assert.deepEqual(await countsOf(people), [1, 1, 1, 1, 1, 1, 1])
  })

  it('goes on behind members of whom it reminds none, however few it looks at together', async () => {
    const ann = await ownerAsking(10)
    const people: Person[] = []
    for (let i = 0; i < 5; i++) people.push(await join(ann, await signUp(service.client)))
    const last = people.toSorted((one, other) => (one.id < other.id ? -1 : 1)).at(-1) as Person
    for (const person of people) if (person !== last) await confirmFactor(service.db, person.id)
    await remind({ membersAtOnce: 1 })
    assert.deepEqual([await remindersOf(last), (await countsOf(people)).filter(Boolean).length], [1, 1])
  })

  it('reaches all companies, also behind those whose members can’t be reminded', async () => {
    await query('update companies set policy_remind_at = null')
    const owners: Person[] = []
    for (let i = 0; i < 5; i++) owners.push(await ownerAsking(10))
    const people: Person[] = []
    for (const owner of owners) people.push(await join(owner, await signUp(service.client)))
    const ids = owners.map(({ company }) => company.id)
    // All at the same time, so that their ids alone tell how far the round has come.
    await query('update companies set policy_remind_at = now() where id = any ($1)', [ids])
    const broken = new Set(ids.toSorted().slice(0, 2))
    await query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger refuse before update on companies for each row when (old.id in ('${[...broken].join(`','`)}'))
      execute function refuse()`)
    const failed: string[] = []
    const { signal } = new AbortController()
    await remindOfSecondFactors(service.database, {
      emailLimits: service.parts.config.emailLimits,
      signal,
      onFailure: (_, company) => failed.push(company),
      companiesAtOnce: 2,
    }).finally(() => query('drop function refuse cascade'))
    assert.deepEqual(new Set(failed), broken)
    assert.equal(failed.length, broken.size)
    assert.deepEqual(
      await countsOf(people),
      owners.map(({ company }) => (broken.has(company.id) ? 0 : 1)),
    )
    await remind({ companiesAtOnce: 2 })
    assert.deepEqual(await countsOf(people), [1, 1, 1, 1, 1])
  })

  it('begins anew with another date, but not within a day', async () => {
    const ann = await ownerAsking(10)
    const bob = await join(ann, await signUp(service.client))
    await remind()
    await ask(ann, 8)
    await remind()
    assert.equal(await remindersOf(bob), 1)
    await pass(ann, 1)
    await remind()
    assert.equal(await remindersOf(bob), 2)
  })

  it('is not held for a date that has come already, without a policy, or in a company that is closed', async () => {
    const [ann, bea, cat] = [await ownerAsking(10), await ownerAsking(10), await ownerAsking(10)]
    const people: Person[] = []
    for (const owner of [ann, bea, cat]) people.push(await join(owner, await signUp(service.client)))
    await ask(ann, -1)
    await bea.api.patch('/companies/policy', { secondFactor: { required: 'nobody' } })
    await suspendCompany(service.parts, OPERATOR, cat.company.id, { notifies: false })
    await remind()
    assert.deepEqual(await countsOf(people), [0, 0, 0])
  })
})
