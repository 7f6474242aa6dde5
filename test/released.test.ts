import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { systemRoles } from '../src/access/system-roles.ts'
import { newId } from '../src/lib/ids.ts'
import { linkToken } from '../src/lib/secrets.ts'
import { APP_URL, useTestApp } from './support/app.ts'
import { Client } from './support/client.ts'
import { checkAnswersFrom } from './support/contract.ts'
import { type DocumentedOperation, operationsOf } from './support/documents.ts'
import { addDomain, chooseJoining } from './support/domains.ts'
import { confirmFactor } from './support/factors.ts'
import { accept, invite } from './support/invitations.ts'
import { addMember, createRole, join, link, rolesOf } from './support/members.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, registration, signIn, signUp } from './support/people.ts'
import { setPolicy } from './support/policies.ts'
import { type ServiceProcess, startProcess } from './support/processes.ts'
import { checkOut, releases } from './support/releases.ts'
import { paste, refusalsIn } from './support/shell-blocks.ts'
import { until } from './support/until.ts'

const [version, commit] = releases.at(-1) as [string, string]
const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-released-'))

const APP_SECRET = randomBytes(32).toString('base64url')
const service = await useTestApp({ APP_SECRET })
let release: ReturnType<typeof checkOut>
let released: ServiceProcess
let documented: DocumentedOperation[]
/** Requests of a person to the release. */
const by = ({ accessToken, company }: Person) =>
  new Client(`${released.address}/api`, { token: accessToken, company: company.id })
before(async () => {
  release = checkOut(version, commit)
  // What an upgrade after this one may bring. Without it nothing would be new as long as this version has no migration of its own.
  await service.db.query(`
    create table later (id uuid primary key);
    alter table accounts add column later text;
    insert into schema_migrations (name, checksum, kind) values ('9999_later.sql', 'later', 'expand')`)
  const document = JSON.parse(readFileSync(path.join(release.folder, 'docs/openapi.json'), 'utf8'))
  documented = operationsOf(document)
  released = await startProcess(service, { checkout: release.folder, settings: { APP_SECRET, APP_URL } })
  checkAnswersFrom(document, released.address)
})
after(async () => {
  await released?.close()
  release?.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** As an intruder does, who reads the mail of the new address. */
const CHANGE_EMAIL = `
  with former as (select id, email, credentials_version from accounts where id = $1),
  changed as (update accounts set email = $2 where id = $1)
  insert into email_change_undos (id, account_id, email, credentials_version, is_reserved, expires_at)
  select $3, id, email, credentials_version + 1, true, now() + interval '7 days' from former`

const RECOVER = `update accounts set recovered_at = clock_timestamp() + interval '10 seconds' where id = $1`

describe(`Release ${version}, beside this version and on the schema of a later one,`, () => {
  it('runs its tutorial with the refusals that it names, and this version goes on with the outcome', async () => {
    const options = { address: released.address, folder, checkout: release.folder }
    const refused = (await paste('docs/tutorial.md', options)).filter(({ success }) => !success)
    assert.deepEqual(
      refused.map(({ code }) => code),
      refusalsIn('docs/tutorial.md', release.folder),
    )
    const ann = await signIn(service.client, 'ann@example.org', 'Another-horse-8')
    assert.equal((await ann.api.get('/companies/audit/verify')).body.data.valid, true)
  })

  it('serves the sessions and companies that this version opens', async () => {
    const zoe = await signUp(service.client)
    assert.equal((await by(zoe).patch(`/companies/${zoe.company.id}`, { name: 'Renamed there' })).status, 200)
    assert.equal((await zoe.api.get('/companies')).body.data[0].name, 'Renamed there')
  })

  it('creates companies whose system roles give what they give in this version', async () => {
    const zoe = await signUp(service.client)
    const { status, body } = await by(zoe).post('/companies', { name: 'Made there', taxId: 'T-9' })
    assert.equal(status, 201)
    const { data } = (await zoe.api.get('/companies/roles', { company: body.data.id })).body
    const given = data.map((role: { name: string; permissions: string[] }) => [role.name, role.permissions])
    assert.deepEqual(
      Object.fromEntries(given),
      Object.fromEntries(systemRoles.map((role) => [role.name, role.permissions])),
    )
  })

  it('opens no session for an account with a second factor, which it does not know of', async () => {
    const zoe = await signUp(service.client)
    const there = new Client(`${released.address}/api`)
    const credentials = { email: zoe.email, password: PASSWORD }
    assert.equal((await there.post('/auth/login', credentials)).status, 200)
    const factor = await confirmFactor(service.db, zoe.id)
    const sessions = () => service.db.query('select id from sessions where account_id = $1', [zoe.id])
    const before = await sessions()

    const refused = await there.post('/auth/login', credentials)
    assertProblem(refused, 503, 'database_unavailable')
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.deepEqual(await sessions(), before)
    // What was open before goes on, and the next account can sign in by the same connection.
    assert.equal((await there.get('/auth/me', { token: zoe.accessToken })).status, 200)
    await service.db.query('delete from second_factors where id = $1', [factor])
    assert.equal((await there.post('/auth/login', credentials)).status, 200)
  })

  it('undoes no change of address for an account with a second factor, which it would leave to an intruder', async () => {
    const zoe = await signUp(service.client)
    const addresses = [zoe.email, anyEmail(), anyEmail()] as const
    for (const email of addresses.slice(1)) await service.db.query(CHANGE_EMAIL, [zoe.id, email, newId()])
    await confirmFactor(service.db, zoe.id)
    const undos = await service.db.query<{ id: string }>(
      'select id from email_change_undos where account_id = $1 order by credentials_version desc',
      [zoe.id],
    )
    const [later, first] = undos.map(({ id }) => ({ token: linkToken(service.keys, id) }))

    const there = new Client(`${released.address}/api`)
    assertProblem(await there.post('/auth/undo-email-change', later), 503, 'database_unavailable')
    for (const link of [later, first])
      assert.equal((await service.client.post('/auth/undo-email-change', link)).status, 200)
    const [account] = await service.db.query('select email, has_second_factor from accounts where id = $1', [zoe.id])
    assert.deepEqual(account, { email: zoe.email, has_second_factor: false })
  })

  it('lets people do nothing in a company that has a policy but leave it, and an owner restore it', async () => {
    const zoe = await signUp(service.client)
    const bob = await join(zoe, await signUp(service.client))
    const [other, path] = [await join(await signUp(service.client), zoe, ['Admin']), `/companies/${zoe.company.id}`]
    const managed = await addMember(other)
    await link(zoe, { ...bob, ...managed })
    await service.db.query('update memberships set opened_at = now() where account_id = $1', [managed.id])
    const seen = async () => {
      const { body } = await by(other).get(`/companies/users/${managed.id}/companies`)
      const { status } = await by(other).post(`/companies/users/${managed.id}/reset-password`)
      return [body.data.map(({ id }: { id: string }) => id).sort(), status]
    }
    assert.equal((await by(bob).get('/companies/users')).status, 200)
    assert.deepEqual(await seen(), [[other.company.id, zoe.company.id].sort(), 200])
    // Their sessions pass it, so this version lets them in.
    await setPolicy(service.db, zoe.company.id, `policy_age = '30 days', policy_networks = '{127.0.0.0/8}'`)
    const ids: Record<string, string | undefined> = { id: zoe.company.id, roleId: (await rolesOf(zoe)).Member }

    const inCompanies = documented.filter(({ url }) => url.startsWith('/companies/') && !/leave$|restore$/.test(url))
    assert.ok(inCompanies.length > 35)
    for (const { name, method, url } of inCompanies) {
      const address = url.replace(/\{(\w+)\}/g, (_, parameter) => ids[parameter] ?? bob.id)
      const { body } = await by(zoe).send(method, address, method === 'GET' ? undefined : { name: 'X' })
      assert.ok(['not_a_member', 'company_not_found'].includes(body.code), `${name}: ${JSON.stringify(body)}`)
    }
    assert.equal((await zoe.api.get(path)).body.data.name, zoe.company.name)
    assert.deepEqual((await by(bob).get('/auth/me')).body.data.tenants.length, 1)
    // Nor through another company, whose administrator she is.
    assert.deepEqual(await seen(), [[other.company.id], 403])

    assert.equal((await by(bob).post(`${path}/leave`)).status, 200)
    assert.equal((await zoe.api.delete(path)).status, 200)
    assert.equal((await by(zoe).post(`${path}/restore`)).status, 200)
    assertProblem(await by(zoe).get(path), 404, 'company_not_found')
  })

  it('does nothing either in a company whose policy is asked at no door, but of new members or before changes', async () => {
    const ofMembers = `policy_domains = '{corp.example}', policy_domains_for = 'invitations_and_additions'`
    for (const columns of [ofMembers, `policy_step_up = '10 minutes'`]) {
      const zoe = await signUp(service.client)
      await service.db.query(`update companies set ${columns} where id = $1`, [zoe.company.id])
      assertProblem(await by(zoe).post('/companies/users', { name: 'Yan', email: anyEmail() }), 403, 'not_a_member')
      assert.equal((await zoe.api.get('/companies/users')).status, 200)
    }
  })

  it('lets no one who joins by a domain get another role by deleting the one that was chosen', async () => {
    const zoe = await signUp(service.client)
    const [guest, visitor] = [await createRole(zoe, 'Guest'), await createRole(zoe, 'Visitor')]
    const domain = await addDomain(zoe)
    const chosen = async () => {
      const { joinRoles } = (await zoe.api.get(`/companies/domains/${domain.id}`)).body.data
      return joinRoles.map(({ id }: { id: string }) => id)
    }
    await chooseJoining(zoe, domain, { joinPolicy: 'auto', joinRoleIds: [guest.id] })
    assertProblem(await by(zoe).delete(guest.path), 503, 'database_unavailable')
    assert.deepEqual(await chosen(), [guest.id])
    assert.equal((await by(zoe).delete(`${guest.path}?reassignTo=${visitor.id}`)).status, 200)
    assert.deepEqual(await chosen(), [visitor.id])
  })

  it('accepts no ownership that was offered before the account was recovered from an intruder', async () => {
    const zoe = await signUp(service.client)
    const bob = await join(zoe, await signUp(service.client), ['Admin'])
    const path = `/companies/${zoe.company.id}/ownership-transfer`
    assert.equal((await zoe.api.post(path, { userId: bob.id })).status, 201)
    await service.db.query('update accounts set recovered_at = now() where id = $1', [zoe.id])
    assertProblem(await by(bob).post(`${path}/accept`, { currentPassword: PASSWORD }), 422, 'transfer_expired')
    assertProblem(await bob.api.post(`${path}/accept`, { currentPassword: PASSWORD }), 422, 'transfer_expired')
  })

  it('offers no ownership that its owner vouches for no more when it is written', async () => {
    // The transaction of that release began before the reset, and goes on after it.
    const acceptedAfter = async (reset: string, { isAdded = false } = {}) => {
      const zoe = await signUp(service.client)
      const from = isAdded ? await join(zoe, await signUp(service.client), ['Owner']) : zoe
      const bob = await join(zoe, await signUp(service.client), ['Admin'])
      await service.db.query(`update accounts set ${reset} where id = $1`, [from.id])
      await service.db.query(
        `insert into ownership_offers (id, company_id, from_id, to_id, created_at) values ($1, $2, $3, $4, now() - interval '1 minute')`,
        [newId(), zoe.company.id, from.id, bob.id],
      )
      const path = `/companies/${zoe.company.id}/ownership-transfer/accept`
      const { body } = await by(bob).post(path, { currentPassword: PASSWORD })
      return body.code ?? 'accepted'
    }
    assert.equal(await acceptedAfter('vouches_from = now()'), 'transfer_expired')
    // Others have added this account, which a stranger may have signed up: not that of who created the company.
    assert.equal(await acceptedAfter('regained_at = now()', { isAdded: true }), 'transfer_expired')
    assert.equal(await acceptedAfter('regained_at = now()'), 'accepted')
  })

  it('restores no address by a change that would leave the link of the one in between to an intruder', async () => {
    const zoe = await signUp(service.client)
    const there = new Client(`${released.address}/api`)
    const tokenFor = async (email: string) => {
      assert.equal((await by(zoe).put('/auth/profile', { email })).status, 200)
      const [sent] = await service.db.query<{ id: string }>('select id from one_time_links where email = $1', [email])
      return { token: linkToken(service.keys, sent?.id as string) }
    }
    const undos = async () => {
      const rows = await service.db.query('select email from email_change_undos where account_id = $1', [zoe.id])
      return rows.map(({ email }) => email)
    }
    assert.equal((await there.post('/auth/verify-email', await tokenFor(anyEmail()))).status, 200)
    const back = await tokenFor(zoe.email)
    assertProblem(await there.post('/auth/verify-email', back), 503, 'database_unavailable')
    assert.equal((await service.client.post('/auth/verify-email', back)).status, 200)
    assert.deepEqual(await undos(), [zoe.email])
  })

  it('leaves to no session what another password was worth', async () => {
    const zoe = await signUp(service.client)
    const change = { currentPassword: PASSWORD, newPassword: 'Horse-78' }
    assert.equal((await by(zoe).post('/auth/change-password', change)).status, 200)
    await setPolicy(service.db, zoe.company.id, `policy_passwords = '{12,15}'`)
    assertProblem(await zoe.api.get('/companies/users'), 403, 'password_too_weak_for_company')
  })

  it('hides from no policy how long a session has paused', async () => {
    const bob = await signUp(service.client)
    const there = new Client(`${released.address}/api`)
    await service.db.query(
      `update sessions set last_used_at = now() - interval '2 days', authenticated_at = now() - interval '2 days'
       where account_id = $1`,
      [bob.id],
    )
    assert.equal((await there.post('/auth/refresh', { refreshToken: bob.refreshToken })).status, 200)
    await setPolicy(service.db, bob.company.id, `policy_pause = '1 day'`)
    assertProblem(await bob.api.get('/companies/users'), 403, 'reauthentication_required')
  })

  it('accepts no offer either that was under way while the account was recovered', async () => {
    const { db } = service
    const zoe = await signUp(service.client)
    const bob = await join(zoe, await signUp(service.client), ['Admin'])
    const path = `/companies/${zoe.company.id}/ownership-transfer`
    await db.query('begin')
    await db.query('select from companies where id = $1 for update', [zoe.company.id])
    const offered = by(zoe).post(path, { userId: bob.id })
    await db.waitForLock()
    await db.query(RECOVER, [zoe.id])
    await db.query('commit')
    assert.equal((await offered).status, 201)
    assertProblem(await by(bob).post(`${path}/accept`, { currentPassword: PASSWORD }), 422, 'transfer_expired')
  })

  it('recovers an account from an intruder by the undo of a change of address, so that it vouches for no one', async () => {
    const [zoe, bob] = [await signUp(service.client), await signUp(service.client)]
    const { id } = await invite(zoe, { email: bob.email, roles: ['Admin'] })
    const undoId = newId()
    await service.db.query(CHANGE_EMAIL, [zoe.id, anyEmail(), undoId])
    const undo = { token: linkToken(service.keys, undoId) }
    assert.equal((await new Client(`${released.address}/api`).post('/auth/undo-email-change', undo)).status, 200)
    const [sent] = await service.db.query<{ link_id: string }>('select link_id from invitations where id = $1', [id])
    const token = linkToken(service.keys, sent?.link_id as string, 'invitation')
    assertProblem(await accept(bob, token), 422, 'invitation_no_longer_valid')
  })

  it('stores responses that this version repeats, with what they lack', async () => {
    const zoe = await signUp(service.client)
    const [bob, cid] = [await join(zoe, await signUp(service.client)), await signUp(service.client)]
    const role = await createRole(zoe, 'Guest')
    const requests: [string, string, unknown?][] = [
      ['POST', '/auth/register', registration()],
      ['POST', '/auth/login', { email: bob.email, password: PASSWORD }],
      ['PUT', '/auth/profile', { phone: '1' }],
      ['POST', `/companies/${zoe.company.id}/members`, { userId: cid.id, roleNames: ['Member'] }],
      ['PATCH', `/companies/users/${bob.id}`, { phone: '2' }],
      ['PATCH', `${role.path}?dryRun=true`, { permissions: [] }],
      ['DELETE', `${role.path}?dryRun=true`],
    ]
    for (const [method, path, body] of requests) {
      const sent = { headers: { 'idempotency-key': newId() } }
      const isPublic = /register|login/.test(path)
      const first = await (isPublic ? new Client(`${released.address}/api`) : by(zoe)).send(method, path, body, sent)
      const again = await (isPublic ? service.client : zoe.api).send(method, path, body, sent)
      assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [first.status, 'true'], path)
    }
  })

  it('leaves to this version the emails that it does not know', async () => {
    const { email } = await invite(await signUp(service.client))
    const attempts = async () =>
      (await service.db.query('select status, attempts from emails where recipient_email = $1', [email]))[0]
    await until(async () => (await attempts())?.attempts > 0)
    assert.equal((await attempts())?.status, 'pending')
    await until(async () => {
      await service.db.query('update emails set next_attempt_at = now() where recipient_email = $1', [email])
      return (await service.mailbox.to(email, 'invitation')).length > 0
    })
  })

  it('ends invitations, and remembers former members, whom it removes', async () => {
    const zoe = await signUp(service.client)
    const bob = await signUp(service.client)
    const { path } = await invite(zoe, { email: bob.email, roles: ['Admin'] })
    const statusOf = async (invitation: string) => (await zoe.api.get(invitation)).body.data.status
    assert.equal((await by(zoe).post('/companies/users', { name: 'Bob', email: bob.email })).status, 201)
    assert.equal(await statusOf(path), 'accepted')
    const email = anyEmail()
    // As the link does there; its email may be delivered by either version.
    await service.db.query('update accounts set email = $2 where id = $1', [bob.id, email])
    const { path: between } = await invite(zoe, { email: bob.email, roles: ['Admin'] })
    assert.equal((await by(zoe).delete(`/companies/users/${bob.id}`)).status, 200)
    assert.equal(await statusOf(between), 'revoked')
    const [former] = await service.db.query('select company_id from former_members where account_id = $1', [bob.id])
    assert.equal(former?.company_id, zoe.company.id)
    const addresses = await service.db.query<{ email: string }>(
      'select email from former_addresses where company_id = $1 and account_id = $2',
      [zoe.company.id, bob.id],
    )
    assert.deepEqual(addresses.map((row) => row.email).sort(), [bob.email, email].sort())
  })
})
