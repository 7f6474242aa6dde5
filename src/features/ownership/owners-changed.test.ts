import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp } from '../../../test/support/app.ts'
import type { Answer } from '../../../test/support/client.ts'
import {
  confirmAddress,
  joinByDomain,
  personAt,
  useTestAppWithDns,
  verifiedDomain,
} from '../../../test/support/domains.ts'
import { confirmMailbox } from '../../../test/support/factors.ts'
import {
  accept,
  createInvitationLink,
  invitationToken,
  invite,
  joinByLink,
  registerInvited,
} from '../../../test/support/invitations.ts'
import { addMember, createRole, join, link, rolesOf } from '../../../test/support/members.ts'
import { OPERATOR } from '../../../test/support/operator.ts'
import { anyEmail, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { disableAccount, enableAccount } from '../auth/disable-account.ts'

const service = await useTestAppWithDns()
const { query } = service.db

const at = (person: { id: string }) => `/companies/users/${person.id}`
const told = async ({ company }: Person) =>
  query<{ email: string; change: string; person: string; by: string }>(
    `select recipient_email as email, params ->> 'change' as change, params ->> 'person' as person, params ->> 'by' as by
     from emails where kind = 'owners_changed' and params ->> 'companyId' = $1 order by created_at, id`,
    [company.id],
  )

interface Company {
  /** Three owners who count. */
  ann: Person
  bob: Person
  carl: Person
  dan: Person
  roles: Record<string, string>
}

async function found(): Promise<Company> {
  const ann = await signUp(service.client)
  const [bob, carl] = [
    await join(ann, await signUp(service.client), ['Owner']),
    await join(ann, await signUp(service.client), ['Owner']),
  ]
  return { ann, bob, carl, dan: await join(ann, await signUp(service.client)), roles: await rolesOf(ann) }
}

const must = async (answer: Promise<Answer>) => {
  const { status, body } = await answer
  assert.ok(status < 300, JSON.stringify(body))
  return body.data
}

/** Who is told of what is done here, by the address. */
async function toldOf({ ann }: Company, work: () => Promise<unknown>) {
  const before = (await told(ann)).length
  await work()
  return (await told(ann)).slice(before)
}

interface Told {
  to: Person[]
  change: string
  person: string
  by: string
}

const asRows = ({ to, change, person, by }: Told) =>
  to.map(({ email }) => ({ email, change, person, by })).sort((a, b) => (a.email < b.email ? -1 : 1))

type Step = (company: Company) => Promise<unknown>

/** What is done, and who is told of it how. */
const steps: Record<string, [work: Step, expected: (company: Company) => Told, prepare?: Step]> = {
  'who makes a member an owner': [
    ({ ann, dan, roles }) => must(ann.api.patch(at(dan), { roleIds: [roles.Owner] })),
    ({ ann, bob, carl, dan }) => ({ to: [ann, bob, carl], change: 'made', person: dan.name, by: ann.name }),
  ],
  'who takes the role of an owner away': [
    ({ ann, bob, roles }) => must(ann.api.patch(at(bob), { roleIds: [roles.Admin] })),
    ({ ann, bob, carl }) => ({ to: [ann, bob, carl], change: 'demoted', person: bob.name, by: ann.name }),
  ],
  'an owner who gives the role up': [
    ({ bob, roles }) => must(bob.api.patch(at(bob), { roleIds: [roles.Admin] })),
    ({ ann, bob, carl }) => ({ to: [ann, bob, carl], change: 'demoted', person: bob.name, by: bob.name }),
  ],
  'who deactivates an owner': [
    ({ ann, bob }) => must(ann.api.patch(at(bob), { status: 'inactive' })),
    ({ ann, bob, carl }) => ({ to: [ann, bob, carl], change: 'deactivated', person: bob.name, by: ann.name }),
  ],
  'who reactivates an owner': [
    ({ ann, bob }) => must(ann.api.patch(at(bob), { status: 'active' })),
    ({ ann, bob, carl }) => ({ to: [ann, carl], change: 'reactivated', person: bob.name, by: ann.name }),
    ({ ann, bob }) => must(ann.api.patch(at(bob), { status: 'inactive' })),
  ],
  'who removes an owner': [
    ({ ann, bob }) => must(ann.api.delete(at(bob))),
    ({ ann, bob, carl }) => ({ to: [ann, bob, carl], change: 'removed', person: bob.name, by: ann.name }),
  ],
  'who removes an owner by the path of the company': [
    ({ ann, bob }) => must(ann.api.delete(`/companies/${ann.company.id}/members/${bob.id}`)),
    ({ ann, bob, carl }) => ({ to: [ann, bob, carl], change: 'removed', person: bob.name, by: ann.name }),
  ],
  'an owner who leaves': [
    ({ ann, bob }) => must(bob.api.post(`/companies/${ann.company.id}/leave`)),
    ({ ann, bob, carl }) => ({ to: [ann, bob, carl], change: 'left', person: bob.name, by: bob.name }),
  ],
  'who adds an owner': [
    ({ ann }) => addMember(ann, { name: 'Eve Lima', roles: ['Owner'] }),
    ({ ann, bob, carl }) => ({ to: [ann, bob, carl], change: 'added', person: 'Eve Lima', by: ann.name }),
  ],
  'who links an account as an owner': [
    async ({ ann }) => link(ann, await signUp(service.client, { name: 'Eve Lima' }), ['Owner']),
    ({ ann, bob, carl }) => ({ to: [ann, bob, carl], change: 'added', person: 'Eve Lima', by: ann.name }),
  ],
  'an account that accepts an invitation as an owner': [
    async ({ ann }) => {
      const eve = await signUp(service.client, { name: 'Eve Lima' })
      await must(accept(eve, await invitationToken(service, await invite(ann, { email: eve.email, roles: ['Owner'] }))))
    },
    ({ ann, bob, carl }) => ({ to: [ann, bob, carl], change: 'joined', person: 'Eve Lima', by: ann.name }),
  ],
  'a newcomer who accepts an invitation as an owner': [
    async ({ ann }) => {
      const token = await invitationToken(service, await invite(ann, { roles: ['Owner'] }))
      await must(registerInvited(service, token, { name: 'Eve Lima' }))
    },
    ({ ann, bob, carl }) => ({ to: [ann, bob, carl], change: 'joined', person: 'Eve Lima', by: ann.name }),
  ],
  'an account that joins as an owner by a link': [
    async ({ ann, roles }) => {
      const { token } = await createInvitationLink(ann, { roleIds: [roles.Owner] })
      const eve = await signUp(service.client, { name: 'Eve Lima' })
      await confirmMailbox(service, eve)
      await query('update accounts set email_verified_at = now() where id = $1', [eve.id])
      await must(joinByLink(eve, token))
    },
    ({ ann, bob, carl }) => ({ to: [ann, bob, carl], change: 'joined', person: 'Eve Lima', by: ann.name }),
  ],
  'who approves a request to join with the role of owners': [
    async ({ ann, roles }) => {
      const domain = await verifiedDomain(service, ann, { joinPolicy: 'request' })
      const eve = await personAt(service, domain)
      await query(`update accounts set name = 'Eve Lima' where id = $1`, [eve.id])
      const { request } = await must(joinByDomain(eve, ann))
      await must(ann.api.post(`/companies/join-requests/${request.id}/approve`, { roleIds: [roles.Owner] }))
    },
    ({ ann, bob, carl }) => ({ to: [ann, bob, carl], change: 'added', person: 'Eve Lima', by: ann.name }),
  ],
  'who accepts the ownership': [
    async ({ ann, dan }) => {
      const path = `/companies/${ann.company.id}/ownership-transfer`
      await must(ann.api.post(path, { userId: dan.id }))
      await must(dan.api.post(`${path}/accept`, { currentPassword: PASSWORD }))
    },
    ({ ann, bob, carl, dan }) => ({ to: [bob, carl], change: 'transferred', person: dan.name, by: ann.name }),
  ],
  'who replaces a role by that of owners': [
    async ({ ann, dan, roles }) => {
      const { id, path } = await createRole(ann, 'Clerk')
      await must(ann.api.patch(at(dan), { roleIds: [id] }))
      await must(ann.api.delete(`${path}?reassignTo=${roles.Owner}&dryRun=true`))
      await must(ann.api.delete(`${path}?reassignTo=${roles.Owner}`))
    },
    ({ ann, bob, carl }) => ({ to: [ann, bob, carl], change: 'replaced', person: 'Clerk', by: ann.name }),
  ],
  'an operator who disables the account of an owner': [
    ({ bob }) => disableAccount(service.database, OPERATOR, bob.id, { notifies: true }),
    ({ ann, bob, carl }) => ({ to: [ann, carl], change: 'disabled', person: bob.name, by: '' }),
  ],
  'an operator who enables the account of an owner': [
    ({ bob }) => enableAccount(service.database, OPERATOR, bob.id, { notifies: true }),
    ({ ann, bob, carl }) => ({ to: [ann, carl], change: 'enabled', person: bob.name, by: '' }),
    ({ bob }) => disableAccount(service.database, OPERATOR, bob.id, { notifies: true }),
  ],
  'an undo of a change of address, which deactivates who joined since': [
    async ({ ann }) => {
      const eve = await signUp(service.client, { name: 'Eve Lima' })
      const email = anyEmail()
      await must(eve.api.put('/auth/profile', { email }))
      await must(
        service.client.post('/auth/verify-email', { token: await service.mailbox.token(email, 'change_email') }),
      )
      await join(ann, eve, ['Owner'])
      await query(`delete from emails where kind = 'owners_changed' and params ->> 'person' = 'Eve Lima'`)
      const token = await service.mailbox.token(eve.email, 'email_changed')
      await must(service.client.post('/auth/undo-email-change', { token }))
    },
    ({ ann, bob, carl }) => ({ to: [ann, bob, carl], change: 'undone', person: 'Eve Lima', by: '' }),
  ],
}

for (const crowd of [100, 2100])
  it(`a change is told to a hundred of ${crowd} owners, first to those who have been members for longest`, async () => {
    const company = await found()
    const { ann, bob, carl, dan, roles } = company
    await query(
      `with made as (
       insert into accounts (id, email, name, name_folded)
       select overlay(gen_random_uuid()::text placing '00000000' from 1)::uuid, 'crowd.' || gen_random_uuid() || '@example.com', 'Crowd', 'crowd'
       from generate_series(1, $3)
       returning id
     ), joined as (
       insert into memberships (company_id, account_id, opened_at) select $1, id, now() from made returning account_id
     ), counted as (
       update company_counters set active_members = active_members + $3 where company_id = $1
     )
     insert into membership_roles (company_id, account_id, role_id) select $1, account_id, $2 from joined`,
      [ann.company.id, roles.Owner, crowd],
    )
    await must(ann.api.patch(at(dan), { roleIds: [roles.Owner] }))
    const eve = await join(ann, await signUp(service.client))
    const readers = await toldOf(company, () => must(ann.api.patch(at(eve), { roleIds: [roles.Owner] })))
    const addresses = readers.map(({ email }) => email)
    assert.equal(addresses.length, 100)
    for (const { email } of [ann, bob, carl, dan]) assert.ok(addresses.includes(email), email)
  })

describe('the owners of a company are told by email of', () => {
  for (const [what, [work, expected, prepare]] of Object.entries(steps))
    it(what, async () => {
      const company = await found()
      await prepare?.(company)
      const rows = await toldOf(company, () => work(company))
      assert.deepEqual(
        rows.sort((a, b) => (a.email < b.email ? -1 : 1)),
        asRows(expected(company)),
      )
    })

  it('no change that concerns no owner, and of none that is refused', async () => {
    const company = await found()
    const { ann, bob, dan, roles } = company
    const rows = await toldOf(company, async () => {
      await must(ann.api.patch(at(dan), { roleIds: [roles.Admin] }))
      await must(ann.api.patch(at(bob), { roleIds: [roles.Owner, roles.Admin] }))
      await must(ann.api.patch(at(bob), { status: 'active', phone: '1' }))
      await must(ann.api.patch(at(dan), { status: 'inactive' }))
      await must(ann.api.delete(at(dan)))
      await addMember(ann)
      const eve = await signUp(service.client)
      await must(accept(eve, await invitationToken(service, await invite(ann, { email: eve.email }))))
      const alone = await signUp(service.client)
      assert.equal((await alone.api.post(`/companies/${alone.company.id}/leave`)).status, 422)
      assert.equal((await ann.api.patch(at(bob), { roleIds: [] })).status, 422)
    })
    assert.deepEqual(rows, [])
  })

  it('nothing that an operator does silently', async () => {
    const company = await found()
    const rows = await toldOf(company, async () => {
      await disableAccount(service.database, OPERATOR, company.bob.id, { notifies: false })
      await enableAccount(service.database, OPERATOR, company.bob.id, { notifies: false })
    })
    assert.deepEqual(rows, [])
  })
})

it('an owner whose account was disabled lately hears of it as well, also of the own removal', async () => {
  const company = await found()
  const { ann, bob, dan, roles } = company
  await disableAccount(service.database, OPERATOR, bob.id, { notifies: true })
  const toBob = async (change: () => Promise<unknown>) =>
    (await toldOf(company, change)).filter(({ email }) => email === bob.email).map((each) => each.change)
  assert.deepEqual(await toBob(() => must(ann.api.patch(at(dan), { roleIds: [roles.Owner] }))), ['made'])
  await query(`update accounts set disabled_at = now() - interval '8 days' where id = $1`, [bob.id])
  assert.deepEqual(await toBob(() => must(ann.api.patch(at(dan), { roleIds: [roles.Member] }))), [])
  assert.deepEqual(await toBob(() => must(ann.api.delete(at(bob)))), ['removed'])
})

it('an owner whose address has changed hears of it at the addresses before as well, also after several changes', async () => {
  const company = await found()
  const { ann, bob, carl, dan, roles } = company
  const between = anyEmail()
  const email = anyEmail()
  for (const next of [between, email]) {
    await must(bob.api.put('/auth/profile', { email: next }))
    await must(service.client.post('/auth/verify-email', { token: await service.mailbox.token(next, 'change_email') }))
  }
  const readers = await toldOf(company, () => must(ann.api.patch(at(dan), { roleIds: [roles.Owner] })))
  assert.deepEqual(readers.map((each) => each.email).sort(), [ann.email, bob.email, carl.email, between, email].sort())
  const undos = await query('select email, is_verified from email_change_undos where account_id = $1 order by id', [
    bob.id,
  ])
  assert.deepEqual(undos, [
    { email: bob.email, is_verified: false },
    { email: between, is_verified: true },
  ])
  await must(ann.api.delete(`/companies/${ann.company.id}`))
  const [{ count }] = (await query(
    `select count(*)::int from emails where kind = 'company_deleted' and recipient_email = any ($1)`,
    [[email, bob.email]],
  )) as [{ count: number }]
  assert.equal(count, 2)
})

describe('such an email', () => {
  it('names the company, both people and the time, and what to do, in the language of its reader', async () => {
    const ann = await signUp(service.client, { companyName: 'Acme Mills' })
    const bob = await join(ann, await signUp(service.client, { locale: 'es' }), ['Owner'])
    const carl = await join(ann, await signUp(service.client, { locale: 'pt-BR' }), ['Owner'])
    const dan = await join(ann, await signUp(service.client, { locale: 'en' }), ['Owner'])
    const roles = await rolesOf(ann)
    await must(ann.api.patch(at(carl), { roleIds: [roles.Member] }))
    const texts: [Person, RegExp][] = [
      [bob, /quitó el rol de propietario a .*Acme Mills.*\n\n.*\n\n.*registro de auditoría.*soporte/s],
      [carl, /retirou a função de proprietário de .*Acme Mills.*\n\n.*\n\n.*registro de auditoria.*suporte/s],
      [dan, /took the ownership away from .*Acme Mills.*\n\n.*\n\n.*audit log.*support/s],
    ]
    for (const [person, says] of texts) {
      const text = (await service.mailbox.to(person.email, 'owners_changed')).at(-1)?.text ?? ''
      assert.match(text, says)
      const people = [ann, carl].map(({ name, email }) => `${name} (${email})`)
      for (const part of [...people, new Date().getFullYear()]) assert.ok(text.includes(String(part)), text)
    }
  })

  it('says of a new owner whose address was never verified that it was not', async () => {
    const { ann, bob, roles } = await found()
    const [dan, eve] = [await join(ann, await signUp(service.client)), await join(ann, await signUp(service.client))]
    await confirmAddress(service, eve)
    for (const person of [dan, eve]) {
      await must(ann.api.patch(at(person), { roleIds: [roles.Owner] }))
      await must(ann.api.patch(at(person), { roleIds: [roles.Member] }))
    }
    const texts = (await service.mailbox.to(bob.email, 'owners_changed')).slice(-4).map(({ text }) => text)
    assert.deepEqual(
      texts.map((text) => /has not been verified/.test(text)),
      [true, false, false, false],
    )
  })

  it('names members with a role that gave way by their addresses', async () => {
    const { ann, bob, dan, roles } = await found()
    const { id, path } = await createRole(ann, 'Clerk')
    await must(ann.api.patch(at(dan), { roleIds: [id] }))
    await must(ann.api.delete(`${path}?reassignTo=${roles.Owner}`))
    const text = (await service.mailbox.to(bob.email, 'owners_changed')).at(-1)?.text ?? ''
    assert.ok(text.includes(`everyone who had it is an owner now, such as ${dan.email}.`), text)
  })

  it('comes ten times an hour, and the last one says that others may not, while the changes go on', async () => {
    const limited = await startTestApp({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000000' }, service.db)
    try {
      const ann = await signUp(limited.client)
      const bob = await join(ann, await signUp(limited.client), ['Owner'])
      const eve = await join(ann, await signUp(limited.client))
      const { Owner, Member } = await rolesOf(ann)
      const changesTo = async ({ email }: Person) =>
        (await told(ann)).filter((each) => each.email === email).map(({ change }) => change)
      for (let time = 0; time < 8; time++) {
        await must(ann.api.patch(at(eve), { roleIds: [Owner] }))
        await must(ann.api.patch(at(eve), { roleIds: [Member] }))
      }
      const flips = Array.from({ length: 9 }, (_, index) => (index % 2 === 0 ? 'made' : 'demoted'))
      assert.deepEqual(await changesTo(bob), [...flips, 'many'])
      assert.deepEqual(await changesTo(eve), Array(8).fill('demoted'))

      await must(ann.api.patch(at(bob), { roleIds: [Member] }))
      assert.equal((await changesTo(bob)).length, 10)
      const [withheld] = await limited.mailbox.to(bob.email, 'notices_withheld')
      assert.match(withheld?.text ?? '', /check the audit log and the owners of each of your companies/)

      await query(`update emails set created_at = created_at - interval '2 hours' where kind = 'owners_changed'`)
      await must(ann.api.patch(at(bob), { roleIds: [Owner] }))
      await must(ann.api.patch(at(bob), { roleIds: [Member] }))
      assert.deepEqual((await changesTo(bob)).slice(10), ['demoted'])
      const text = (await limited.mailbox.to(bob.email, 'owners_changed')).find(({ text }) => /many times/.test(text))
      assert.match(text?.text ?? '', /There may be further changes about which we don’t email you/)
    } finally {
      await limited.close()
    }
  })

  it('has a limit over all companies but the first ones for an address that was never verified', async () => {
    const limited = await startTestApp({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000000' }, service.db)
    try {
      const [vic, vera] = [await signUp(limited.client), await signUp(limited.client)]
      await query('update accounts set email_verified_at = now() where id = $1', [vera.id])
      await query('update accounts set email_verified_at = null where id = $1', [vic.id])
      const changes: Record<string, string[]> = { [vic.email]: [], [vera.email]: [] }
      const [zoe, eve] = [await signUp(limited.client), await signUp(limited.client)]
      // With the one that was created with the account these are the first five.
      for (const name of ['A', 'B', 'C', 'D']) await must(vic.api.post('/companies', { name, taxId: '1' }))
      for (const name of ['One', 'Two', 'Three']) {
        const company = await must(zoe.api.post('/companies', { name, taxId: '1' }))
        const ann = { ...zoe, company, api: zoe.api.with({ company: company.id }) }
        for (const owner of [vic, vera]) await join(ann, owner, ['Owner'])
        await join(ann, eve)
        const { Owner, Member } = await rolesOf(ann)
        await query(`delete from emails where kind = 'owners_changed' and params ->> 'personEmail' = $1`, [vera.email])
        for (let time = 0; time < 4; time++) {
          await must(ann.api.patch(at(eve), { roleIds: [Owner] }))
          await must(ann.api.patch(at(eve), { roleIds: [Member] }))
        }
        for (const { email, change } of await told(ann)) changes[email]?.push(change)
      }
      const flips = (times: number) =>
        Array.from({ length: times }, (_, index) => (index % 2 === 0 ? 'made' : 'demoted'))
      assert.deepEqual(changes[vera.email], flips(24))
      assert.deepEqual(changes[vic.email], [...flips(19), 'many'])
      assert.equal((await limited.mailbox.to(vera.email, 'notices_withheld')).length, 0)
      const withheld = await limited.mailbox.to(vic.email, 'notices_withheld')
      assert.deepEqual(
        withheld.map(({ text }) => /we don’t email you about all of it. To get these emails/.test(text)),
        [true],
      )

      const member = await join(vic, eve)
      await must(vic.api.patch(at(member), { roleIds: [(await rolesOf(vic)).Owner] }))
      assert.deepEqual(
        (await told(vic)).map(({ email, change }) => [email, change]),
        [[vic.email, 'made']],
      )
    } finally {
      await limited.close()
    }
  })

  it('is not kept away by those about operators, who have no limit', async () => {
    const limited = await startTestApp({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000000' }, service.db)
    try {
      const ann = await signUp(limited.client)
      const [bob, carl] = [
        await join(ann, await signUp(limited.client), ['Owner']),
        await join(ann, await signUp(limited.client), ['Owner']),
      ]
      for (let time = 0; time < 5; time++) {
        await disableAccount(limited.database, OPERATOR, carl.id, { notifies: true })
        await enableAccount(limited.database, OPERATOR, carl.id, { notifies: true })
      }
      await must(ann.api.delete(at(bob)))
      const changes = (await told(ann)).filter(({ email }) => email === bob.email).map(({ change }) => change)
      assert.deepEqual(changes.slice(-11), [...Array(5).fill(['disabled', 'enabled']).flat(), 'removed'])
    } finally {
      await limited.close()
    }
  })

  it('goes to the owners of twenty companies for one undo', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    // The company of their own is not one that they have joined since.
    await query(`update memberships set created_at = created_at - interval '1 minute' where account_id = $1`, [eve.id])
    const email = anyEmail()
    await must(eve.api.put('/auth/profile', { email }))
    await must(service.client.post('/auth/verify-email', { token: await service.mailbox.token(email, 'change_email') }))
    for (let count = 0; count < 22; count++) {
      const company = await must(
        ann.api.post('/companies', { name: `Company ${count} of ${ann.id}`, taxId: `T${count}` }),
      )
      await join({ ...ann, company, api: ann.api.with({ company: company.id }) }, eve, ['Owner'])
    }
    await must(
      service.client.post('/auth/undo-email-change', {
        token: await service.mailbox.token(eve.email, 'email_changed'),
      }),
    )
    const undone = await query(
      `select from emails where kind = 'owners_changed' and recipient_email = $1 and params ->> 'change' = 'undone'`,
      [ann.email],
    )
    assert.equal(undone.length, 20)
    const inactive = await query(`select from memberships where account_id = $1 and status = 'inactive'`, [eve.id])
    assert.equal(inactive.length, 22)
  })

  it('goes first to the owners of the companies that the account joined first', async () => {
    const eve = await signUp(service.client)
    const older = []
    for (let count = 0; count < 20; count++)
      older.push(await must(eve.api.post('/companies', { name: `Company ${count} of ${eve.id}`, taxId: `T${count}` })))
    const company = await found()
    const { ann, bob, carl } = company
    for (const each of older)
      await join({ ...eve, company: each, api: eve.api.with({ company: each.id }) }, ann, ['Owner'])
    const noted = { reason: undefined, notifies: true }
    const readers = await toldOf(company, () => disableAccount(service.database, OPERATOR, ann.id, noted))
    assert.deepEqual(new Set(readers.map(({ email }) => email)), new Set([bob.email, carl.email]))
  })

  it('deadlocks with no change in another company with the same people', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
    const people = [await signUp(service.client), await signUp(service.client)]
    for (const person of people) {
      await join(ann, person, ['Owner'])
      await join(bob, person, ['Owner'])
    }
    const answers = await Promise.all(people.flatMap((person) => [ann, bob].map(({ api }) => api.delete(at(person)))))
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(4).fill(200),
    )
  })
})

describe('the deletion of a company', () => {
  const deleted = async ({ email }: Pick<Person, 'email'>) =>
    (await service.mailbox.to(email, 'company_deleted')).length
  const remove = ({ api, company }: Person) => must(api.delete(`/companies/${company.id}`))

  const ways: Record<string, (company: Company) => Promise<unknown>> = {
    'was demoted': ({ ann, bob, roles }) => must(ann.api.patch(at(bob), { roleIds: [roles.Member] })),
    'was deactivated': ({ ann, bob }) => must(ann.api.patch(at(bob), { status: 'inactive' })),
    'was deactivated and demoted at once': ({ ann, bob, roles }) =>
      must(ann.api.patch(at(bob), { status: 'inactive', roleIds: [roles.Member] })),
    'was deactivated, then removed': async ({ ann, bob }) => {
      await must(ann.api.patch(at(bob), { status: 'inactive' }))
      await must(ann.api.delete(at(bob)))
    },
    'was removed': ({ ann, bob }) => must(ann.api.delete(at(bob))),
    left: ({ ann, bob }) => must(bob.api.post(`/companies/${ann.company.id}/leave`)),
    'was disabled by an operator': ({ bob }) => disableAccount(service.database, OPERATOR, bob.id, { notifies: false }),
    'gave the ownership away': async ({ ann, bob, dan }) => {
      const path = `/companies/${ann.company.id}/ownership-transfer`
      await must(bob.api.post(path, { userId: dan.id }))
      await must(dan.api.post(`${path}/accept`, { currentPassword: PASSWORD }))
    },
  }
  it('is told to those first who have been members for longest, and not for who became an owner', async () => {
    const { ann, bob, dan, roles } = await found()
    const eve = await join(ann, await signUp(service.client), ['Owner'])
    await must(ann.api.patch(at(eve), { roleIds: [roles.Member] }))
    await must(ann.api.patch(at(bob), { roleIds: [roles.Member] }))
    const { id, path } = await createRole(ann, 'Clerk')
    await must(ann.api.patch(at(dan), { roleIds: [id] }))
    await must(ann.api.delete(`${path}?reassignTo=${roles.Owner}`))
    const listed = await query<{ id: string }>(
      `select former.id from (select set_config('app.company_id', $1, true)) scope, lateral find_former_owners(9) former`,
      [ann.company.id],
    )
    assert.deepEqual(
      listed.map(({ id }) => id),
      [bob.id, eve.id],
    )
  })

  for (const [what, work] of Object.entries(ways))
    it(`is told to an owner who ${what} within the last 7 days`, async () => {
      const company = await found()
      await work(company)
      await remove(company.ann)
      for (const person of [company.ann, company.bob, company.carl]) assert.equal(await deleted(person), 1)
    })

  it('is told once to who is an owner again, and to no member who was none, or is none for longer', async () => {
    const company = await found()
    const { ann, bob, carl, dan, roles } = company
    const unopened = await link(ann, await signUp(service.client), ['Owner'])
    await must(ann.api.patch(at(unopened), { roleIds: [roles.Member] }))
    await must(ann.api.patch(at(bob), { roleIds: [roles.Member] }))
    await must(ann.api.patch(at(bob), { roleIds: [roles.Owner] }))
    await must(ann.api.delete(at(carl)))
    await must(ann.api.delete(at(dan)))
    await query(`update former_owners set ended_at = now() - interval '169 hours' where account_id = $1`, [carl.id])
    await remove(ann)
    for (const person of [ann, bob]) assert.equal(await deleted(person), 1)
    for (const person of [carl, dan, unopened]) assert.equal(await deleted(person), 0)
  })

  it('is told in the language of who is no member any more, and to the owners of no other company', async () => {
    const ann = await signUp(service.client, { companyName: 'Bolt Works' })
    const other = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client, { locale: 'es' }), ['Owner'])
    const stranger = await join(other, await signUp(service.client), ['Owner'])
    await must(other.api.delete(at(stranger)))
    await must(ann.api.delete(at(bob)))
    await remove(ann)
    const [email] = await service.mailbox.to(bob.email, 'company_deleted')
    assert.match(email?.text ?? '', /Bolt Works.*soporte/s)
    assert.equal(await deleted(stranger), 0)
    assert.equal((await signIn(service.client, bob.email)).email, bob.email)
  })
})
