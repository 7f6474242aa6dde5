import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { useTestApp } from '../../../../test/support/app.ts'
import { exportAudit, linesOf, verifyAudit, verifyOffline } from '../../../../test/support/audit.ts'
import { sealAsVersion1 } from '../../../../test/support/audit-version-1.ts'
import { createBranch } from '../../../../test/support/branches.ts'
import { outcome } from '../../../../test/support/catalogue.ts'
import { addApp } from '../../../../test/support/factors.ts'
import { invite } from '../../../../test/support/invitations.ts'
import { createRole, join, link, rolesOf } from '../../../../test/support/members.ts'
import { OPERATOR } from '../../../../test/support/operator.ts'
import { anyEmail, type Person, signUp } from '../../../../test/support/people.ts'
import { asWorker } from '../../../database/scopes.ts'
import { OperatorError } from '../../../lib/operator-error.ts'
import { disableAccount } from '../../auth/disable-account.ts'
import { eraseFromAudit } from '../../auth/erase-account.ts'
import { resumeCompany, suspendCompany } from '../../companies/suspend-company.ts'
import { commitmentTo, openPartsOf } from '../chain/commitments.ts'
import { sealCompany } from '../chain/seal-company.ts'
import { verifyChain } from '../chain/verify-company.ts'

const service = await useTestApp()
const { query } = service.db

const erase = (accountId: string) => eraseFromAudit(service.auditDeps, OPERATOR, accountId, undefined)

async function disable({ id }: Person): Promise<void> {
  await disableAccount(service.database, OPERATOR, id, { notifies: false })
}

/** Of the account, in all companies. */
const saltsOf = async ({ id }: Person) =>
  (
    await query<{ salt: string }>(
      `select encode(actor_salt, 'hex') as salt from audit_records where actor_id = $1 and seq is not null
       union select encode(target_salt, 'hex') from audit_records
         where target_id = $1::text and action <> 'audit.erase' and seq is not null`,
      [id],
    )
  ).flatMap(({ salt }) => salt ?? [])

async function assertIntact(person: Person): Promise<string> {
  assert.equal((await verifyAudit(person)).valid, true)
  const text = await exportAudit(person, 'format=ndjson')
  const { valid, text: verdict } = await verifyOffline(service, linesOf(text))
  assert.ok(valid, verdict)
  return text
}

/** By a person who had no account then. */
async function declinedBy({ company }: Person, email: string): Promise<void> {
  await query(
    `insert into audit_records (id, company_id, v, action, outcome, actor_kind, actor_email, target_type, target_id, target_label)
     values (gen_random_uuid(), $1, 2, 'invitations.decline', 'done', 'person', $2, 'role', '', 'no address')`,
    [company.id, email],
  )
}

async function offer(by: Person, to: Person): Promise<void> {
  const { status } = await by.api.post(`/companies/${by.company.id}/ownership-transfer`, { userId: to.id })
  assert.equal(status, 201)
}

// biome-ignore lint/suspicious/noExplicitAny: a record, as a client sees it.
const list = async ({ api }: Person, filter: string): Promise<any[]> =>
  (await api.get(`/companies/audit?limit=100&${filter}`)).body.data

describe('a person in a company with 10,000 records', () => {
  let ann: Person
  let bob: Person
  let salts: string[]
  let text: string
  before(async () => {
    ann = await signUp(service.client)
    bob = await signUp(service.client, { name: 'Bob Canary', email: 'bob.canary@example.com' })
    await join(ann, bob, ['Admin'])
    const there = { ...bob, api: bob.api.with({ company: ann.company.id }) }
    const headers = { 'user-agent': 'canary browser', 'x-request-id': 'canary-request' }
    await there.api.patch(`/companies/users/${bob.id}`, { position: 'Canary singer' }, { headers })
    await query(
      `insert into audit_records (id, company_id, v, action, outcome, actor_id, actor_kind, actor_name, actor_email,
         target_type, target_id, target_label, changes, ip, user_agent, created_at)
       select gen_random_uuid(), $1, 2, 'users.update', 'done', actor, 'person', case when actor = $3 then 'Bob Canary' else 'Ann' end,
         case when actor = $3 then 'bob.canary@example.com' else $4 end, 'member', target,
         case when target = $3::text then 'bob.canary@example.com' else 'other@example.com' end,
         jsonb_build_object('phone', jsonb_build_object('from', case when target = $3::text then 'canary phone' else '1' end, 'to', '2'),
           'roles', jsonb_build_object('to', jsonb_build_array('Admin'))),
         '192.0.2.77', 'canary browser', now() - interval '1 day' + n * interval '1 ms'
       from generate_series(1, 10000) n,
         lateral (select case when n % 3 = 0 then $3::uuid else $2::uuid end as actor,
           case when n % 2 = 0 then $3 else $2 end::text as target) who`,
      [ann.company.id, ann.id, bob.id, ann.email],
    )
    await verifyAudit(ann)
    salts = await saltsOf(bob)
    assert.ok(salts.length > 8000)
    await disable(bob)
    const { parts, companies, remaining } = await erase(bob.id)
    assert.ok(parts >= salts.length, `${parts} parts`)
    assert.equal(companies, 2)
    assert.deepEqual(remaining, { version1: 0, missed: 0 })
    text = await assertIntact(ann)
  })

  it('is erased, and the chain holds', async () => {
    const { records, misdated } = await verifyAudit(ann)
    assert.ok(records > 10_000)
    assert.equal(misdated, 0)
    assert.deepEqual(await saltsOf(bob), [])
  })

  it('is found in each company by one record, however many there are', async () => {
    const rowsRead = () =>
      query<{ rows: number }>(
        `select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'audit_records'`,
      )
    await query('begin')
    const found = await query(
      `select from audit_companies_of_account($1, '00000000-0000-0000-0000-000000000000', 500) where is_named`,
      [bob.id],
    )
    const [read] = await rowsRead().finally(() => query('commit'))
    assert.equal(found.length, 2)
    assert.ok((read?.rows ?? 0) <= 4, `${read?.rows} rows were read`)
  })

  it('is in no export', async () => {
    const csv = await exportAudit(ann, 'format=csv')
    const shown = text + csv
    for (const canary of ['Bob Canary', 'bob.canary', 'canary phone', 'Canary singer', 'canary-request'])
      assert.equal(shown.includes(canary), false, canary)
    const parts = new Set(text.match(/(?<="salt":")[0-9a-f]{32}/g))
    assert.ok(parts.size > 8000)
    assert.deepEqual(
      salts.filter((salt) => parts.has(salt)),
      [],
    )
  })

  it('is shown as erased, with what was done and to what end', async () => {
    const [done] = await list(ann, `actorId=${bob.id}&targetId=${ann.id}`)
    assert.deepEqual(done.actor, { id: bob.id, kind: 'person', name: '', email: '', erased: true })
    assert.deepEqual([done.ip, done.user_agent, done.request_id], [null, '', ''])
    assert.deepEqual(done.target, { type: 'member', id: ann.id, label: 'other@example.com' })
    assert.deepEqual(done.changes.phone, { from: '1', to: '2' })
    const [suffered] = await list(ann, `actorId=${ann.id}&targetId=${bob.id}&action=users.update`)
    assert.deepEqual(suffered.target, { type: 'member', id: bob.id, label: '', erased: true })
    assert.deepEqual(suffered.changes, { roles: { to: ['Admin'] } })
    assert.equal(suffered.actor.name, 'Ann')
  })

  it('is named in the record of the erasure by the id alone', async () => {
    const [record] = await list(ann, 'action=audit.erase')
    assert.deepEqual(record.actor, { id: null, kind: 'operator', name: 'Operator (Olga)', email: '' })
    assert.deepEqual(record.target, { type: 'account', id: bob.id, label: '' })
  })

  it('is erased once: doing it again changes nothing', async () => {
    assert.deepEqual(await erase(bob.id), { parts: 0, companies: 0, remaining: { version1: 0, missed: 0 } })
    assert.equal((await list(ann, 'action=audit.erase')).length, 1)
  })

  it('is erased from what comes later when it is done again', async () => {
    assert.equal((await ann.api.delete(`/companies/users/${bob.id}`)).status, 200)
    const { parts } = await erase(bob.id)
    assert.equal(parts, 1)
    assert.equal((await assertIntact(ann)).includes('bob.canary'), false)
  })
})

describe('an erasure', () => {
  it('also takes the addresses of the person that records name without the id, and no other account’s', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    const carl = await join(ann, await signUp(service.client))
    await offer(ann, bob)
    await ann.api.delete(`/companies/${ann.company.id}/ownership-transfer`)
    await offer(ann, carl)
    const owners = async () => (await list(ann, 'targetType=company')).flatMap(({ changes }) => changes.owner ?? [])
    assert.equal((await owners()).length, 3)
    const former = bob.email
    await query(`update accounts set email = 'later-' || email where id = $1`, [bob.id])
    await disable(bob)
    await erase(bob.id)
    assert.equal((await assertIntact(ann)).includes(former), false)
    assert.deepEqual(await owners(), [{ from: ann.email, to: carl.email }])

    const dan = await join(ann, await signUp(service.client))
    await query(`update audit_records set actor_email = $2 where actor_id = $1 and company_id is null`, [
      dan.id,
      carl.email,
    ])
    await query('update audit_records set target_label = $3 where company_id = $1 and target_id = $2', [
      ann.company.id,
      dan.id,
      carl.email,
    ])
    await disable(dan)
    await erase(dan.id)
    assert.deepEqual(await owners(), [{ from: ann.email, to: carl.email }])
  })

  it('knows former addresses by what the account did outside of companies', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
    const changeTo = async (email: string) => {
      assert.equal((await bob.api.put('/auth/profile', { email })).status, 200)
      const token = await service.mailbox.token(email, 'change_email')
      assert.equal((await service.client.post('/auth/verify-email', { token })).status, 200)
    }
    const former = anyEmail()
    await changeTo(former)
    await invite(ann, { email: former })
    await changeTo(anyEmail())
    await query('delete from email_change_undos where account_id = $1', [bob.id])
    assert.ok((await assertIntact(ann)).includes(former))
    await disable(bob)
    await erase(bob.id)
    assert.equal((await assertIntact(ann)).includes(former), false)
  })

  it('knows former addresses by the links about second factors that were sent there', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    const former = anyEmail()
    await query('update accounts set email = $2 where id = $1', [bob.id, former])
    // A company's record that names the address alone.
    await offer(ann, bob)
    await ann.api.delete(`/companies/${ann.company.id}/ownership-transfer`)
    await addApp(service, bob)
    await query('update accounts set email = $2 where id = $1', [bob.id, anyEmail()])
    assert.ok((await assertIntact(ann)).includes(former))
    await disable(bob)
    await erase(bob.id)
    assert.equal((await assertIntact(ann)).includes(former), false)
  })

  it('reaches companies that know the person by an address alone, such as one that was asked to let them join', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
    await query(
      `insert into audit_records (id, company_id, v, action, outcome, target_type, target_id, target_label, changes)
       values (gen_random_uuid(), $1, 2, 'join_requests.decline', 'done', 'join_request', gen_random_uuid(), $2, '{"domain": {"to": "x"}}')`,
      [ann.company.id, bob.email],
    )
    await declinedBy(ann, bob.email)
    assert.ok((await assertIntact(ann)).includes(bob.email))
    await disable(bob)
    const { companies, remaining } = await erase(bob.id)
    assert.deepEqual([companies, remaining], [2, { version1: 0, missed: 0 }])
    assert.equal((await assertIntact(ann)).includes(bob.email), false)
    const [request] = await list(ann, 'action=join_requests.decline')
    assert.deepEqual([request.target.label, request.target.erased, request.changes], ['', true, {}])
    const [declined] = await list(ann, 'action=invitations.decline')
    assert.deepEqual([declined.actor.erased, declined.target.label], [true, 'no address'])
  })

  it('says of which records it takes an address, however many', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
    await query(
      `insert into audit_records (id, company_id, v, action, outcome, target_type, target_id, target_label, created_at)
       select gen_random_uuid(), $1, 2, 'invitations.create', 'done', 'invitation', gen_random_uuid(),
         case when n % 2 = 0 then $2 else 'other@example.com' end, now() - interval '1 hour' + n * interval '1 ms'
       from generate_series(1, 1400) n`,
      [ann.company.id, bob.email],
    )
    await disable(bob)
    const { remaining } = await eraseFromAudit(service.auditDeps, OPERATOR, bob.id, '😀'.repeat(500))
    assert.deepEqual(remaining, { version1: 0, missed: 0 })
    const erased = linesOf(await assertIntact(ann)).flatMap((line) => {
      const { seq, personal } = JSON.parse(line)
      return personal && 'commitment' in personal.target ? [String(seq)] : []
    })
    const named = (await list(ann, 'action=audit.erase')).flatMap(({ changes }) => changes.erased_targets?.to ?? [])
    assert.equal(named.length, 700)
    assert.deepEqual(named.sort(), erased.sort())
  })

  it('takes a person out of invitations that others edit, by whom they were sent before', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client, { name: 'Bob Canary' }), ['Admin'])
    const carl = await join(ann, await signUp(service.client, { name: 'Carl Canary' }), ['Admin'])
    const { path } = await invite(bob)
    for (const { api } of [ann, carl]) assert.equal((await api.patch(path, { expiresInDays: 3 })).status, 200)
    const inviters = async () => (await list(ann, 'action=invitations.update')).map(({ changes }) => changes.inviter)
    assert.deepEqual(await inviters(), [
      { from: ann.email, to: carl.email },
      { from: bob.email, to: ann.email },
    ])
    for (const person of [bob, carl]) {
      await disable(person)
      assert.deepEqual((await erase(person.id)).remaining, { version1: 0, missed: 0 })
    }
    const text = await assertIntact(ann)
    for (const canary of ['Canary', bob.email, carl.email]) assert.equal(text.includes(canary), false, canary)
    assert.deepEqual(await inviters(), [undefined, undefined])
  })

  it('finds no address that was sent in the place of an id, because no record keeps one', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    const carl = await join(ann, await signUp(service.client))
    const path = encodeURIComponent(bob.email)
    await exportAudit(ann, `format=csv&targetId=${path}`)
    assert.equal((await carl.api.delete(`/companies/users/${path}`)).status, 403)
    assert.equal((await carl.api.patch(`/companies/roles/${path}`, { name: 'X' })).status, 403)
    const dan = await signUp(service.client)
    await query('update sessions set must_change_password = true where account_id = $1', [dan.id])
    assert.equal((await dan.api.get('/companies/users', { company: bob.email })).status, 403)
    await disable(bob)
    assert.deepEqual((await erase(bob.id)).remaining, { version1: 0, missed: 0 })
    assert.equal((await assertIntact(ann)).includes(bob.email), false)
    const left = await query('select from audit_records where audit_records::text like $1', [`%${bob.email}%`])
    assert.equal(left.length, 0)
    const refused = await list(ann, `actorId=${carl.id}&outcome=permission_missing`)
    assert.deepEqual(
      refused.map(({ target: { type, id } }) => [type, id]),
      [
        ['role', ''],
        ['member', ''],
      ],
    )
  })

  it('finds the first and the last of many records that name the person by one of many addresses, each statement looking at some', async () => {
    const [ann, dan] = [await signUp(service.client), await signUp(service.client)]
    const bob = await join(ann, await signUp(service.client))
    await query(
      `insert into audit_records (id, company_id, v, action, outcome, actor_id, actor_kind, target_type, target_id, target_label, changes, created_at)
       select gen_random_uuid(), $1, 2, 'invitations.create', 'done', $2, 'person', 'invitation', gen_random_uuid(),
         case when n in (1, 20001) then $3 when n = 22000 then 'former9999@example.com' else 'other' || n || '@example.com' end,
         jsonb_build_object('inviter', jsonb_build_object('to', case n when 20000 then $3 else $4 end)),
         now() - interval '1 hour' + n * interval '1 ms'
       from generate_series(1, 22000) n`,
      [ann.company.id, ann.id, bob.email, ann.email],
    )
    // Each time the person has changed the address, as often as an account may in two days.
    await query(
      `insert into audit_records (id, action, outcome, actor_id, actor_email, target_type)
       select gen_random_uuid(), 'profile.update', 'done', $1, 'former' || n || '@example.com', 'account'
       from generate_series(1, 10000) n`,
      [bob.id],
    )
    await verifyAudit(ann)
    await verifyAudit(dan)
    const mentioned = await query<{ company_id: string; is_mentioned: boolean | null }>(
      `select company_id, is_mentioned from audit_companies_mentioning(
         array['x@example.com'], '{}', array['invitation'], '00000000-0000-0000-0000-000000000000', 1000)`,
    )
    const isMentioned = new Map(mentioned.map((row) => [row.company_id, row.is_mentioned]))
    assert.deepEqual([isMentioned.get(ann.company.id), isMentioned.get(dan.company.id)], [null, false])

    await disable(bob)
    assert.deepEqual((await erase(bob.id)).remaining, { version1: 0, missed: 0 })
    const text = await assertIntact(ann)
    for (const address of [bob.email, 'former9999@example.com']) assert.equal(text.includes(address), false, address)
    assert.equal(text.includes('other21999@example.com'), true)
  })

  it('leaves an id that was sent in the place of another one, and the chain holds', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    const carl = await join(ann, await signUp(service.client))
    for (const path of ['roles', 'branches', 'domains', 'invitations'])
      assert.equal((await carl.api.delete(`/companies/${path}/${bob.id}`)).status, 403)
    await disable(bob)
    assert.deepEqual((await erase(bob.id)).remaining, { version1: 0, missed: 0 })
    const text = await assertIntact(ann)
    assert.equal(text.includes(bob.email), false)
  })

  it('takes nothing by the id of what is no account', async () => {
    const ann = await signUp(service.client)
    assert.equal((await ann.api.patch('/companies/policy', { passwords: { minLength: 12 } })).status, 200)
    await verifyAudit(ann)
    const { parts, companies } = await erase(ann.company.id)
    assert.deepEqual([parts, companies], [0, 0])
    await assertIntact(ann)
  })

  it('keeps the branches, roles and status of a member, and the names of what is no person', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client), ['Admin'])
    const there = bob.api.with({ company: ann.company.id })
    const { id } = await createBranch(ann, { name: 'North' })
    const { Manager } = await rolesOf(ann)
    await there.post('/companies/roles', { name: 'Desk', permissions: ['users:read'] })
    await ann.api.patch(`/companies/users/${bob.id}`, {
      branchIds: [id],
      roleIds: [Manager],
      status: 'inactive',
      phone: '+1 555 0100',
      document_number: 'X-1',
    })
    await disable(bob)
    await erase(bob.id)
    await assertIntact(ann)
    const [update] = await list(ann, `targetId=${bob.id}&action=users.update`)
    assert.deepEqual(update.changes, {
      status: { from: 'active', to: 'inactive' },
      roles: { from: ['Admin'], to: ['Manager'] },
      branches: { from: [], to: ['North'] },
    })
    const [role] = await list(ann, 'action=roles.create')
    assert.deepEqual([role.target.label, role.changes.name, role.actor.erased], ['Desk', { to: 'Desk' }, true])
  })

  it('takes the person out of the records of no company, and leaves those of others', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
    await service.client.post('/auth/login', { email: bob.email, password: 'Wrong-horse-7' })
    await service.client.post('/auth/login', { email: ann.email, password: 'Wrong-horse-7' })
    await disable(bob)
    const of = ({ id, email }: Person) =>
      query(
        `select id, audit_records::text as row from audit_records
         where company_id is null and (actor_id = $1 or target_id = $1::text or target_label = $2) order by id`,
        [id, email],
      )
    const [others, own] = [await of(ann), await of(bob)]
    assert.ok(own.length >= 3)
    await erase(bob.id)
    assert.deepEqual(await of(ann), others)
    const rows = await query('select * from audit_records where id = any ($1) order by id', [own.map(({ id }) => id)])
    for (const row of rows) {
      const name = row.action === 'accounts.disable' ? 'Operator (Olga)' : ''
      assert.deepEqual(
        [row.actor_name, row.actor_email, row.ip, row.target_label, row.changes],
        [name, '', null, '', {}],
        row.action,
      )
    }
  })

  it('takes an address out of what others asked to change theirs to before, and leaves the rest of these records', async () => {
    const [ann, email] = [await signUp(service.client), anyEmail()]
    assert.equal((await ann.api.put('/auth/profile', { email: email.toUpperCase() })).status, 200)
    assert.equal((await ann.api.put('/auth/profile', { email: anyEmail() })).status, 200)
    const bob = await signUp(service.client, { email })
    await disable(bob)
    const of = () =>
      query(
        `select to_jsonb(audit_records) as row from audit_records
         where company_id is null and actor_id = $1 and action = 'accounts.request_email_change' order by id`,
        [ann.id],
      )
    const before = await of()
    await erase(bob.id)
    const after = await of()
    assert.deepEqual(
      after.map(({ row }) => Object.keys(row.changes.pending_email)),
      [['from'], ['to']],
    )
    for (const [index, { row }] of after.entries())
      assert.deepEqual({ ...row, changes: undefined }, { ...before[index]?.row, changes: undefined })
  })

  it('goes on where one before it was stopped', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    await offer(ann, bob)
    await disable(bob)
    await query(`
      create sequence calls;
      grant usage on sequence calls to public;
      create or replace function erase_audit_parts(company uuid, part text, record_ids uuid[], commitments text[])
      returns integer language plpgsql security definer as $$
      begin
        if nextval('calls') > 1 then raise exception 'stopped'; end if;
        update audit_records set target_label = case target_type when 'company' then target_label else '' end, changes = '{}',
          target_salt = null, target_commitment = decode(commitments[1], 'hex') where id = record_ids[1];
        return 1;
      end $$`)
    await assert
      .rejects(erase(bob.id), /stopped/)
      .finally(() => query(readFileSync('migrations/functions/erase_audit_parts.sql', 'utf8')))
    assert.ok((await saltsOf(bob)).length > 0)
    assert.equal((await verifyAudit(ann)).valid, true)

    assert.deepEqual((await erase(bob.id)).remaining, { version1: 0, missed: 0 })
    const text = await assertIntact(ann)
    assert.deepEqual([text.includes(bob.name), text.includes(bob.email)], [false, false])
  })

  it('goes on in the others when a company is being purged', async () => {
    const [ann, carl, bob] = [await signUp(service.client), await signUp(service.client), await signUp(service.client)]
    for (const by of [ann, carl]) await join(by, bob, ['Admin'])
    await disable(bob)
    const { id } = ann.company
    // As when the records go between two statements of the erasure.
    await query(`create function refuse_sealing() returns trigger language plpgsql as $$
      begin raise exception 'records of company % are not as they were read', new.company_id; end $$`)
    await query(`create trigger refuse_sealing before update on audit_records
      for each row when (new.company_id = '${id}') execute function refuse_sealing()`)
    try {
      await assert.rejects(erase(bob.id), /not as they were read/)
      await query(
        `update companies set deleted_at = now() - interval '31 days', purge_started_at = now() where id = $1`,
        [id],
      )
      assert.equal((await erase(bob.id)).companies, 2)
    } finally {
      await query('drop function refuse_sealing cascade')
    }
    assert.doesNotMatch(await assertIntact(carl), new RegExp(bob.email))
  })

  it('happens several times at once, while others write about the person, and the chain holds', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    await query(
      `insert into audit_records (id, company_id, v, action, outcome, actor_id, actor_name, target_type, target_id, target_label)
       select gen_random_uuid(), $1, 2, 'users.update', 'done', $2::uuid, $3, 'member', $2::uuid::text, $4
       from generate_series(1, 2500)`,
      [ann.company.id, bob.id, bob.name, bob.email],
    )
    await disable(bob)
    let isDone = false
    const writing = (async () => {
      for (let round = 1; !isDone; round++) {
        await ann.api.patch(`/companies/users/${bob.id}`, { position: `Clerk ${round}` })
        await sealCompany(service.auditDeps, ann.company.id)
      }
    })()
    await Promise.all([erase(bob.id), erase(bob.id), erase(bob.id)])
    isDone = true
    await writing
    assert.equal((await verifyAudit(ann)).valid, true)
    assert.equal((await erase(bob.id)).remaining.missed, 0)
    assert.equal((await assertIntact(ann)).includes(bob.email), false)
  })

  it('does not look like tampering to a verification that has begun before', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    await ann.api.patch(`/companies/users/${bob.id}`, { position: 'Clerk' })
    await verifyAudit(ann)
    await disable(bob)
    let erasing: Promise<unknown> | undefined
    const limitReads: typeof service.auditDeps.limitReads = async (read) => {
      erasing ??= erase(bob.id)
      await erasing
      return service.auditDeps.limitReads(read)
    }
    const { valid, firstInvalid } = await verifyChain({ ...service.auditDeps, limitReads }, ann.company.id)
    assert.deepEqual({ valid, firstInvalid }, { valid: true, firstInvalid: null })
  })

  it('leaves what release 0.2.0 has sealed, and says how much', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    await sealAsVersion1(service, ann.company.id)
    await ann.api.patch(`/companies/users/${bob.id}`, { position: 'Clerk' })
    await disable(bob)
    const { remaining, parts } = await erase(bob.id)
    const text = await assertIntact(ann)
    assert.ok(parts > 0)
    assert.deepEqual(remaining, {
      version1: linesOf(text).filter((line) => line.includes(bob.email)).length,
      missed: 0,
    })
    assert.ok(remaining.version1 > 0)
  })

  it('leaves a chain that is broken as evidence, says how many records remain, and erases from the others', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    await verifyAudit(ann)
    await query(`update audit_heads set signature = 'x' where company_id = $1`, [ann.company.id])
    await ann.api.patch(`/companies/users/${bob.id}`, { position: 'Clerk' })
    await disable(bob)
    const { remaining, companies } = await erase(bob.id)
    assert.equal(companies, 1)
    assert.ok(remaining.missed >= 2)
    assert.equal((await verifyAudit(ann)).firstInvalid.reason, 'head_forged')
  })

  it('does not vouch for what was tampered with', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    await ann.api.patch(`/companies/users/${bob.id}`, { position: 'Clerk' })
    const { records } = await verifyAudit(ann)
    await query(`update audit_records set target_label = 'eve@example.com' where company_id = $1 and seq = $2`, [
      ann.company.id,
      records,
    ])
    await disable(bob)
    await erase(bob.id)
    const { firstInvalid } = await verifyAudit(ann)
    assert.deepEqual([firstInvalid.seq, firstInvalid.reason], [records, 'changed'])
  })

  it('is refused while the account can be used', async () => {
    const ann = await signUp(service.client)
    await assert.rejects(
      erase(ann.id),
      (error) => error instanceof OperatorError && error.code === 'account_not_disabled',
    )
    assert.ok((await exportAudit(ann, 'format=ndjson')).includes(ann.email))
  })

  it('also takes a person whose account was deleted by hand', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    await offer(ann, bob)
    await ann.api.delete(`/companies/users/${bob.id}`)
    await query('set session_replication_role = replica')
    await query('delete from accounts where id = $1', [bob.id])
    await query('set session_replication_role = origin')
    await erase(bob.id)
    assert.equal((await assertIntact(ann)).includes(bob.email), false)
  })
})

describe('the commitment that an erasure leaves', () => {
  it('is covered by the chain: one changed byte is found, also offline, and so are two that are swapped', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    const there = bob.api.with({ company: ann.company.id })
    await there.patch(`/companies/users/${bob.id}`, { position: 'Clerk' })
    await disable(bob)
    await erase(bob.id)
    const [sealed] = await query(
      `select id, seq, actor_commitment as actor, target_commitment as target from audit_records
       where company_id = $1 and actor_commitment is not null and target_commitment is not null order by seq limit 1`,
      [ann.company.id],
    )
    const { id, seq, actor, target } = sealed as { id: string; seq: string; actor: Buffer; target: Buffer }
    const put = (one: Buffer, other: Buffer) =>
      query('update audit_records set actor_commitment = $2, target_commitment = $3 where id = $1', [id, one, other])
    const flipped = (bytes: Buffer, at: number) => Buffer.from(bytes.with(at, (bytes[at] as number) ^ 1))
    for (const [one, other] of [
      [flipped(actor, 0), target],
      [actor, flipped(target, 31)],
      [target, actor],
    ] as const) {
      await put(one, other)
      assert.deepEqual((await verifyAudit(ann)).firstInvalid, { seq: Number(seq), id, reason: 'changed' })
      const { valid, text } = await verifyOffline(service, linesOf(await exportAudit(ann, 'format=ndjson')))
      assert.equal(valid, false)
      assert.match(text, new RegExp(`record ${seq} \\(${id}\\) was changed`))
    }
    await put(actor, target)
    await assertIntact(ann)
  })
})

describe('an erasure by hand in the database', () => {
  it('is found, because no record tells of it', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    const carl = await link(ann, await signUp(service.client))
    await ann.api.patch(`/companies/users/${bob.id}`, { position: 'Clerk' })
    await disable(bob)
    await erase(bob.id)
    await ann.api.patch(`/companies/users/${carl.id}`, { position: 'Clerk' })
    await assertIntact(ann)
    const [row] = await query(
      `select id, seq, target_label, changes, encode(target_salt, 'hex') as salt from audit_records
       where company_id = $1 and target_id = $2 and action = 'users.update'`,
      [ann.company.id, carl.id],
    )
    const commitment = commitmentOf(row as never)
    assert.deepEqual(
      await query(`select erase_audit_parts($1, 'target', array[$2::uuid], array[$3]) as erased`, [
        ann.company.id,
        row?.id,
        commitment,
      ]),
      [{ erased: 1 }],
    )
    const { firstInvalid } = await verifyAudit(ann)
    assert.deepEqual(firstInvalid, { seq: Number(row?.seq), id: row?.id, reason: 'erasure_unrecorded' })
    const { valid, text } = await verifyOffline(service, linesOf(await exportAudit(ann, 'format=ndjson')))
    assert.equal(valid, false)
    assert.match(text, /shows no person, and no later record tells of an erasure/)
  })

  it('is found after the erasure of someone else in what no erasure takes out', async () => {
    const ann = await signUp(service.client)
    // In the order of the log, what is hidden below comes before what the erasure takes.
    await invite(ann)
    await declinedBy(ann, anyEmail())
    const bob = await signUp(service.client)
    await invite(ann, { email: bob.email })
    await declinedBy(ann, bob.email)
    await join(ann, bob)
    const role = await createRole(ann, 'Desk')
    await ann.api.patch(role.path, { permissions: ['users:read', 'users:delete'] })
    await ann.api.patch('/companies/audit/settings', { retentionDays: 30 })
    const noted = { reason: 'looking into it', notifies: false }
    await suspendCompany(service.parts, OPERATOR, ann.company.id, noted)
    await resumeCompany(service.parts, OPERATOR, ann.company.id, noted)
    await disable(bob)
    await erase(bob.id)
    await erase(bob.id)
    const lines = linesOf(await assertIntact(ann))
    const hidden = [
      ['target', 'roles.update'],
      ['target', 'invitations.create'],
      ['actor', 'invitations.decline'],
      ['target', 'audit.update_settings'],
      ['actor', 'companies.suspend'],
      ['actor', 'audit.erase'],
      ['target', 'audit.erase'],
    ] as const
    for (const [part, action] of hidden) {
      const index = lines.findIndex((line) => line.includes(`"action":"${action}"`))
      const { valid, text } = await verifyOffline(service, lines.with(index, withoutPart(part, lines[index] as string)))
      assert.equal(valid, false, `${part} of ${action}`)
      assert.match(text, /shows no person, and no later record tells of an erasure/)
    }
  })

  it('is all that a role of the service can do, of sealed records alone', async () => {
    const ann = await signUp(service.client)
    await ann.api.patch(`/companies/users/${ann.id}`, { position: 'Clerk' })
    const [row] = await query('select id from audit_records where company_id = $1 and seq is null limit 1', [
      ann.company.id,
    ])
    const call = `select erase_audit_parts(?::uuid, 'actor', array[?::uuid], array['']) as erased`
    const tenant = { role: 'tenantry_tenant', companyId: ann.company.id, accountId: ann.id } as const
    assert.equal(await outcome(service.database, tenant, call, ann.company.id, row?.id as string), 'refused')
    await outcome(service.database, asWorker, call, ann.company.id, row?.id as string)
    assert.ok((await exportAudit(ann, 'format=ndjson')).includes(ann.email))
    for (const set of [`actor_name = ''`, 'actor_salt = null'])
      assert.equal(await outcome(service.database, asWorker, `update audit_records set ${set}`), 'refused')
  })
})

/** A line of an export as if an erasure had taken this part of its record. */
function withoutPart(part: 'actor' | 'target', line: string): string {
  const record = JSON.parse(line)
  const personal = { ...record.personal, [part]: { commitment: commitmentTo(part, record) } }
  const { label, changes } = openPartsOf(record)
  const shown =
    part === 'target'
      ? { target: { ...record.target, label }, changes }
      : { actor: { ...record.actor, name: '', email: '' }, ip: null, user_agent: '', request_id: '' }
  return JSON.stringify({ ...record, ...shown, personal })
}

function commitmentOf(row: { target_label: string; changes: unknown; salt: string }): string {
  return commitmentTo('target', {
    actor: { id: null, name: '', email: '' },
    target: { type: 'member', id: '', label: row.target_label },
    changes: row.changes,
    ip: null,
    user_agent: '',
    request_id: '',
    personal: { actor: { salt: row.salt }, target: { salt: row.salt } },
  })
}
