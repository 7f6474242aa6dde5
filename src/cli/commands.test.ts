import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, it } from 'node:test'
import { useTestApp } from '../../test/support/app.ts'
import { commandLineWith, databaseUrlOf } from '../../test/support/command-line.ts'
import { createTestDatabase } from '../../test/support/database.ts'
import { addApp, confirmFactor } from '../../test/support/factors.ts'
import { invite } from '../../test/support/invitations.ts'
import { addMember, join } from '../../test/support/members.ts'
import { anyEmail, assertProblem, PASSWORD, signIn, signUp } from '../../test/support/people.ts'
import { setPolicy } from '../../test/support/policies.ts'
import { reportNode } from '../features/nodes/nodes.ts'
import { newId } from '../lib/ids.ts'
import { keysFrom } from '../lib/keys.ts'

const APP_SECRET = 'the-secret-of-the-service-and-its-commands'
const service = await useTestApp({ APP_SECRET })
const { client, mailbox } = service
const settings = { APP_SECRET, DATABASE_URL: databaseUrlOf(service.db), NODE_ENV: 'test' }
const run = commandLineWith(settings)

/** Runs a command that has to succeed, and returns its JSON. */
async function json(...args: string[]) {
  const { exitCode, stderr, json } = await run(...args, '--json')
  assert.deepEqual([exitCode, stderr], [0, ''])
  return json
}

const recordsBy = (name: string) =>
  service.db.query('select action, user_agent, company_id from audit_records where actor_name = $1', [name])

describe('tenantry user', () => {
  it('finds an account by its address or id, for people and programs', async () => {
    const ann = await signUp(client)
    const found = await json('user', 'find', ann.email)
    assert.deepEqual([found.id, found.status, found.companies[0].id], [ann.id, 'active', ann.company.id])
    const { stdout, exitCode } = await run('user', 'find', ann.id)
    assert.equal(exitCode, 0)
    assert.match(stdout, new RegExp(`^id +${ann.id}$`, 'm'))
    assert.match(stdout, new RegExp(`^${ann.company.id}  ${ann.company.name}  active  active +Owner$`, 'm'))
  })

  it('shows no control characters of names to a terminal', async () => {
    const ann = await signUp(client)
    await service.db.query(`update accounts set name = e'A\u001b[31m' where id = $1`, [ann.id])
    assert.match((await run('user', 'find', ann.id)).stdout, /^name +A\?\[31m$/m)
  })

  it('names the account for a former address, and warns where that can take it back', async () => {
    const ann = await signUp(client)
    const email = anyEmail()
    await ann.api.put('/auth/profile', { email })
    const token = await service.mailbox.token(email, 'change_email')
    assert.equal((await client.post('/auth/verify-email', { token })).status, 200)
    const former = await run('user', 'find', ann.email)
    assert.deepEqual([former.exitCode, former.stderr.includes(`Account ${ann.id} had it until lately`)], [3, true])
    assert.match((await run('user', 'find', ann.id)).stdout, new RegExp(`^former addresses +${ann.email} `, 'm'))
    const reset = await run('user', 'reset', ann.id)
    assert.ok(reset.stderr.includes(ann.email) && reset.stderr.includes(`goes to ${email}`), reset.stderr)
  })

  it('creates no account with a language that the API would refuse', async () => {
    const account = ['--email', anyEmail(), '--name', 'New']
    for (const locale of ['pt_BR', 'es-', 'x_!<b>'])
      assert.equal((await run('user', 'create', ...account, '--locale', locale)).exitCode, 2)
    const { id } = await json('user', 'create', ...account, '--locale', 'pt-br')
    const [created] = await service.db.query('select locale from accounts where id = $1', [id])
    assert.equal(created?.locale, 'pt-BR')
  })

  it('creates an account, with a company, whose owner chooses the password by the emailed link', async () => {
    const email = anyEmail()
    const company = ['--company', `Of ${email}`, '--tax-id', '1']
    const created = await json('user', 'create', '--email', email, '--name', 'New', ...company, '--as', 'Cora')
    const token = await mailbox.token(email, 'account_created')
    await client.post('/auth/reset-password', { token, newPassword: PASSWORD })
    const owner = await signIn(client, email)
    assert.deepEqual([owner.id, owner.company.id], [created.id, created.companyId])
    const by = await recordsBy('Operator (Cora)')
    assert.deepEqual(by.map(({ action, user_agent }) => [action, user_agent]).sort(), [
      ['accounts.create', 'tenantry user create'],
      ['companies.create', 'tenantry user create'],
    ])
  })

  it('refuses to create what the API would refuse', async () => {
    const ann = await signUp(client)
    const taken = await run('user', 'create', '--email', ann.email, '--name', 'New', '--json')
    assert.deepEqual([taken.exitCode, JSON.parse(taken.stderr).error.code], [1, 'email_taken'])
    const invalid = await run('user', 'create', '--email', 'x', '--name', 'New')
    assert.deepEqual([invalid.exitCode, invalid.stdout], [2, ''])
    assert.match(invalid.stderr, /^[^\n]*'x' is invalid[^\n]*\n$/)
    const half = await run('user', 'create', '--email', anyEmail(), '--name', 'New', '--company', 'Half')
    assert.deepEqual([half.exitCode, half.stderr.split('\n').length], [2, 2])
  })

  it('disables and enables an account, once each, and tells by email', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client))
    const disabled = await run('user', 'disable', bob.email, '--reason', 'abuse', '--as', 'Dora')
    assert.equal(disabled.exitCode, 0)
    assert.match(disabled.stdout, /^Disabled .*; 1 sessions have ended\.$/m)
    assert.match(disabled.stderr, /^warning: company .* has no other owner/)
    assertProblem(await bob.api.get('/auth/me'), 401, 'token_invalid')
    assert.equal((await json('user', 'find', bob.id)).status, 'disabled')
    assert.equal((await run('user', 'disable', bob.id, '--json')).json.isChanged, false)
    assert.equal((await json('user', 'enable', bob.id, '--no-email')).isChanged, true)
    assert.equal((await json('user', 'enable', bob.id)).isChanged, false)
    await signIn(client, bob.email)
    assert.equal((await mailbox.to(bob.email, 'account_disabled')).length, 1)
    assert.deepEqual(await mailbox.to(bob.email, 'account_enabled'), [])
    assert.deepEqual(await recordsBy('Operator (Dora)'), [
      { action: 'accounts.disable', user_agent: 'tenantry user disable', company_id: null },
    ])
  })

  it('resets an account', async () => {
    const ann = await signUp(client)
    assert.equal((await json('user', 'reset', ann.email)).endedSessions, 1)
    assertProblem(await client.post('/auth/login', { email: ann.email, password: PASSWORD }), 401, 'credentials_wrong')
    assert.ok(await mailbox.token(ann.email, 'password_removed'))
    await run('user', 'disable', ann.id)
    const { exitCode, stdout } = await run('user', 'reset', ann.id)
    assert.equal(exitCode, 0)
    assert.match(stdout, /stays disabled/)
    const enabled = await run('user', 'enable', ann.id, '--no-email')
    assert.match(enabled.stdout, /^Enabled .* has no password\. A link to choose a password is on its way/)
    assert.equal((await mailbox.to(ann.email, 'password_removed')).length, 2)
    assert.deepEqual(await mailbox.to(ann.email, 'account_enabled'), [])
  })

  it('warns at a reset that second factors stay, also those that an intruder may have added', async () => {
    const ann = await signUp(client)
    await addApp(service, ann)
    const { exitCode, stdout, stderr } = await run('user', 'reset', ann.id)
    assert.deepEqual([exitCode, stdout.startsWith('Removed the password of')], [0, true])
    assert.match(
      stderr,
      /^warning: its second factors stay, and a passkey signs in without a password: .*reset-factor\n$/,
    )
  })

  it('announces the removal of second factors, once, and withdraws it', async () => {
    const ann = await signUp(client)
    const none = await run('user', 'reset-factor', ann.id, '--json')
    assert.deepEqual([none.exitCode, JSON.parse(none.stderr).error.code], [1, 'second_factor_missing'])
    await addApp(service, ann)
    const { id, email } = ann
    assert.deepEqual(await json('user', 'reset-factor', id, '--cancel'), { id, email, isChanged: false, dueAt: null })

    const announced = await json('user', 'reset-factor', ann.email, '--as', 'Fred', '--reason', 'lost phone')
    assert.deepEqual([announced.id, announced.email, announced.isChanged], [ann.id, ann.email, true])
    const hours = (Date.parse(announced.dueAt) - Date.now()) / 3_600_000
    assert.ok(hours > 23.9 && hours <= 24.1, String(hours))
    assert.deepEqual(await json('user', 'reset-factor', ann.id), { ...announced, isChanged: false })
    assert.equal((await mailbox.to(ann.email, 'factor_reset_announced')).length, 1)
    const found = await json('user', 'find', ann.id)
    assert.deepEqual([found.hasSecondFactor, found.factorResetDueAt], [true, announced.dueAt])
    assert.match((await run('user', 'find', ann.id)).stdout, /^second factor +yes\nremoved from +20\d\d-/m)

    const { stderr } = await run('user', 'reset', ann.id)
    assert.match(
      stderr,
      /^warning: its second factors are removed after 20\d\d-.* user reset-factor --cancel keeps them\n$/,
    )

    const kept = await run('user', 'reset-factor', ann.id, '--cancel', '--as', 'Fred')
    assert.deepEqual([kept.exitCode, kept.stdout], [0, `${ann.email} keeps its second factors.\n`])
    assert.equal((await json('user', 'find', ann.id)).factorResetDueAt, null)
    const by = await recordsBy('Operator (Fred)')
    assert.deepEqual(by.map(({ action }) => action).sort(), ['factors.announce_reset', 'factors.cancel_reset'])
    assert.deepEqual([...new Set(by.map(({ user_agent }) => user_agent))], ['tenantry user reset-factor'])
  })

  it('takes no character of another script for one of an address', async () => {
    const kate = await signUp(client, { email: `k${anyEmail()}` })
    assert.equal((await run('user', 'find', kate.email.toUpperCase())).exitCode, 0)
    const withKelvinSign = `\u212a${kate.email.slice(1)}`
    for (const command of ['find', 'reset']) assert.equal((await run('user', command, withKelvinSign)).exitCode, 3)
  })

  it('exits with 3 when no account has the address or id', async () => {
    for (const command of ['find', 'disable', 'enable', 'reset', 'reset-factor'])
      for (const key of [anyEmail(), newId()]) {
        const { exitCode, stdout, stderr } = await run('user', command, key)
        assert.deepEqual([exitCode, stdout, stderr], [3, '', `No account has the email address or id ${key}.\n`])
      }
  })
})

describe('tenantry secret rotate', () => {
  it('says what the nodes sign with, and which step is next', async () => {
    const none = await run('secret', 'rotate', '--json')
    assert.deepEqual([none.exitCode, none.json.step], [1, 'not_running'])
    const { keys, database } = service
    await reportNode(database, { id: newId(), host: 'one', version: '1.0.0', keys })
    const idle = await json('secret', 'rotate')
    assert.deepEqual([idle.step, idle.nodes[0].signing_kid], ['idle', keys.current.kid])
    const published = keysFrom(APP_SECRET, 'the-next-secret-of-the-service-after-it')
    await reportNode(database, { id: newId(), host: 'two', version: '1.0.0', keys: published })
    const { exitCode, stdout } = await run('secret', 'rotate')
    assert.equal(exitCode, 0)
    assert.match(stdout, /^step +publish\nnext +Give the new secret as APP_SECRET_PREVIOUS to one as well\.$/m)
  })

  it('warns of a node that refuses what another one signs', async () => {
    const keys = keysFrom('a-secret-that-no-other-node-has-been-given')
    await reportNode(service.database, { id: newId(), host: 'three', version: '1.0.0', keys })
    const { exitCode, stderr, stdout } = await run('secret', 'rotate')
    assert.equal(exitCode, 1)
    assert.match(stderr, /^warning: one refuses the tokens of three: /m)
    assert.match(stdout, /^step +fix\nnext +Give three \(signs with .{8}\) the same APP_SECRET as one /m)
  })
})

describe('tenantry company', () => {
  it('suspends and resumes a company by its id or slug', async () => {
    const ann = await signUp(client)
    const suspended = await json('company', 'suspend', ann.company.slug, '--as', 'Sue', '--no-email')
    assert.deepEqual([suspended.id, suspended.status, suspended.isChanged], [ann.company.id, 'suspended', true])
    assertProblem(await ann.api.get('/companies/users'), 403, 'company_suspended')
    assert.equal((await json('company', 'suspend', ann.company.id)).isChanged, false)
    assert.equal((await json('company', 'resume', ann.company.id)).status, 'active')
    assert.equal((await ann.api.get('/companies/users')).status, 200)
    assert.deepEqual(await mailbox.to(ann.email, 'company_suspended'), [])
    assert.equal((await mailbox.to(ann.email, 'company_resumed')).length, 1)
    assert.deepEqual(await recordsBy('Operator (Sue)'), [
      { action: 'companies.suspend', user_agent: 'tenantry company suspend', company_id: ann.company.id },
    ])
  })

  it('takes an id for nothing else, also where another company has it as its slug', async () => {
    const ann = await signUp(client)
    const other = await signUp(client)
    assert.equal((await ann.api.patch(`/companies/${ann.company.id}`, { slug: other.company.id })).status, 200)
    assert.equal((await json('company', 'suspend', ` ${other.company.id.toUpperCase()}`)).id, other.company.id)
    assertProblem(await other.api.get('/companies/users'), 403, 'company_suspended')
    assert.equal((await ann.api.get('/companies/users')).status, 200)
  })

  it('restores a deleted company', async () => {
    const ann = await signUp(client)
    await ann.api.delete(`/companies/${ann.company.id}`)
    assert.equal((await json('company', 'restore', ann.company.id)).status, 'active')
    assert.equal((await json('company', 'restore', ann.company.id)).isChanged, false)
    assert.equal((await ann.api.get('/companies/users')).status, 200)
  })

  it('resets the policy of a company that shuts everybody out, once, and tells the owners', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client), ['Owner'])
    await setPolicy(service.db, ann.company.id, `policy_networks = '{192.0.2.0/24}', policy_age = '1 hour'`)
    await service.db.query(
      `update companies set policy_domains = '{corp.example}', policy_step_up = '5 minutes' where id = $1`,
      [ann.company.id],
    )
    assertProblem(await ann.api.get(`/companies/${ann.company.id}`), 403, 'network_not_allowed')
    const reset = await json('company', 'policy', 'reset', ann.company.slug, '--reason', 'no VPN', '--as', 'Rita')
    assert.deepEqual([reset.id, reset.isChanged, reset.status], [ann.company.id, true, 'active'])
    const { data } = (await ann.api.get('/companies/policy')).body
    assert.deepEqual([data.networks, data.members.domains, data.sessions.stepUpMinutes], [{ allow: [] }, [], null])
    for (const { email } of [ann, bob]) assert.equal((await mailbox.to(email, 'policy_reset')).length, 1)

    const [record, ...more] = await service.db.query(
      `select action, outcome, actor_name, user_agent, changes from audit_records
       where company_id = $1 and actor_name = 'Operator (Rita)'`,
      [ann.company.id],
    )
    assert.deepEqual(more, [])
    assert.deepEqual(
      [record?.action, record?.outcome, record?.user_agent],
      ['policy.reset', 'done', 'tenantry company policy reset'],
    )
    assert.deepEqual(record?.changes.allow, { from: ['192.0.2.0/24'], to: [] })
    assert.deepEqual(record?.changes.reason, { to: 'no VPN' })

    const again = await run('company', 'policy', 'reset', ann.company.id)
    assert.deepEqual([again.exitCode, again.stdout.split(' ')[0]], [0, 'Without'])
    assert.equal((await mailbox.to(ann.email, 'policy_reset')).length, 1)
    assert.equal((await run('company', 'policy', 'reset', newId())).exitCode, 3)
  })

  it('resets the policy of a deleted company without an email, so that it can be restored', async () => {
    const ann = await signUp(client)
    await ann.api.delete(`/companies/${ann.company.id}`)
    await setPolicy(service.db, ann.company.id, `policy_factor_from = now()`)
    const refused = await ann.api.post(`/companies/${ann.company.id}/restore`)
    assertProblem(refused, 403, 'second_factor_required_by_company')
    assert.equal((await json('company', 'policy', 'reset', ann.company.id)).isChanged, true)
    assert.equal((await mailbox.to(ann.email, 'policy_reset')).length, 0)
    assert.equal((await ann.api.post(`/companies/${ann.company.id}/restore`)).status, 200)
  })

  it('lists companies by status and name, page by page', async () => {
    const word = newId().slice(-8)
    const ids: string[] = []
    for (let number = 1; number <= 3; number++) {
      const { company, api } = await signUp(client, { companyName: `${word} ${number}` })
      ids.push(company.id)
      if (number === 2) await run('company', 'suspend', company.id)
      if (number === 3) await api.delete(`/companies/${company.id}`)
    }
    const list = (...options: string[]) => json('company', 'list', '--search', word.toUpperCase(), ...options)
    const all = await list()
    assert.deepEqual(
      all.companies.map(({ id, status, members }: never) => [id, status, members]),
      ids.map((id, index) => [id, ['active', 'suspended', 'deleted'][index], 1]),
    )
    assert.equal(all.next, null)
    for (const [index, status] of ['active', 'suspended', 'deleted'].entries())
      assert.deepEqual((await list('--status', status)).companies, [all.companies[index]])
    const { companies, next } = await list('--limit', '2')
    assert.deepEqual([companies, next], [all.companies.slice(0, 2), ids[1]])
    assert.deepEqual((await list('--after', next)).companies, all.companies.slice(2))
    assert.match((await run('company', 'list', '--search', newId())).stdout, /^There are no such companies\.$/m)
  })

  it('exits with 3 when no company has the id or slug', async () => {
    for (const command of ['suspend', 'resume', 'restore'])
      assert.deepEqual(await run('company', command, 'nowhere'), {
        exitCode: 3,
        stdout: '',
        stderr: 'No company has the id or slug nowhere.\n',
        json: false,
      })
  })
})

describe('tenantry mail', () => {
  const fail = (where: string, id: string) =>
    service.db.query(
      `update emails set status = 'failed', finished_at = now(), last_error = 'mailbox full', attempts = 9,
         expires_at = now() where ${where} = $1`,
      [id],
    )

  it('lists emails without their contents, and sends failed ones again', async () => {
    const ann = await signUp(client)
    const bob = await addMember(ann)
    await fail('recipient_email', bob.email)
    const { emails } = await json('mail', 'list', '--to', bob.email, '--status', 'failed')
    assert.deepEqual(Object.keys(emails[0]).sort(), [
      ...['attempts', 'createdAt', 'expiresAt', 'id', 'kind', 'lastError', 'nextAttemptAt', 'recipient', 'status'],
    ])
    assert.deepEqual([emails[0].kind, emails[0].lastError], ['temporary_password', 'mailbox full'])
    const retried = await json('mail', 'retry', emails[0].id)
    assert.deepEqual(retried.emails, [{ id: emails[0].id, isRetried: true, reason: null }])
    assert.equal((await mailbox.to(bob.email, 'temporary_password')).length, 1)
    const again = await run('mail', 'retry', emails[0].id, '--json')
    assert.deepEqual([again.exitCode, again.json.emails[0].reason], [1, 'it was sent'])
  })

  it('leaves an email whose link is dead, one that is being sent, and one that is not there', async () => {
    const ann = await signUp(client)
    await client.post('/auth/forgot-password', { email: ann.email })
    await mailbox.to(ann.email, 'reset_password')
    await fail('recipient_email', ann.email)
    await service.db.query('delete from one_time_links where account_id = $1', [ann.id])
    const claimed = await addMember(ann)
    await service.db.query(`update emails set claimed_until = now() + interval '1 minute' where recipient_email = $1`, [
      claimed.email,
    ])
    const idOf = async (to: string) => (await json('mail', 'list', '--to', to)).emails[0].id
    const ids = [await idOf(ann.email), await idOf(claimed.email), newId()]
    const { exitCode, json: left } = await run('mail', 'retry', ...ids, '--json')
    assert.equal(exitCode, 1)
    const reasons = Object.fromEntries(
      left.emails.map(({ id, reason }: { id: string; reason: string }) => [id, reason]),
    )
    assert.deepEqual(
      ids.map((id) => reasons[id]),
      ['its link, code or password no longer works', 'it is being sent', 'there is no such email'],
    )
    const all = await json('mail', 'retry', '--failed')
    assert.deepEqual(all.emails.map(({ id }: { id: string }) => id).includes(ids[0]), true)
  })

  it('leaves invitations, codes and announced removals of factors that are over', async () => {
    const ann = await signUp(client)
    const { email, path } = await invite(ann)
    assertProblem(await ann.api.post('/auth/factors/totp', {}), 403, 'mailbox_code_required')
    await confirmFactor(service.db, ann.id)
    await json('user', 'reset-factor', ann.email)
    await mailbox.all()
    for (const recipient of [email, ann.email]) await fail('recipient_email', recipient)

    await ann.api.delete(path)
    await service.db.query('delete from mailbox_codes')
    await json('user', 'reset-factor', ann.email, '--cancel')
    await json('mail', 'retry', '--failed')
    const kinds: string[] = []
    for (const to of [email, ann.email]) {
      const { emails } = await json('mail', 'list', '--to', to, '--status', 'failed')
      kinds.push(...emails.map(({ kind }: { kind: string }) => kind))
    }
    assert.deepEqual(kinds.sort(), ['factor_reset_announced', 'invitation', 'mailbox_code'])
  })

  it('asks which emails', async () => {
    for (const args of [[], [newId(), '--failed']]) {
      const { exitCode, stderr } = await run('mail', 'retry', ...args)
      assert.deepEqual([exitCode, stderr.split('\n').length], [2, 2])
    }
  })
})

describe('tenantry audit with another APP_SECRET', () => {
  it('says so, and erases and seals nothing', async () => {
    const { keys, database } = service
    await reportNode(database, { id: newId(), host: 'one', version: '1.0.0', keys })
    const ann = await signUp(client)
    assert.equal((await ann.api.get('/companies/audit/verify')).body.data.valid, true)
    const wrong = commandLineWith({ ...settings, APP_SECRET: 'a-secret-that-no-node-has-been-given' })
    const cause = /APP_SECRET is not the one of the service: .* with which one, two sign and the audit log is signed/
    const verified = await wrong('audit', 'verify', ann.company.id)
    assert.deepEqual([verified.exitCode, cause.test(verified.stderr)], [1, true])
    const erased = await wrong('audit', 'erase', newId())
    assert.deepEqual([erased.exitCode, erased.stdout, cause.test(erased.stderr)], [1, '', true])
    assert.deepEqual((await run('audit', 'verify', ann.company.id)).stderr, '')
  })
})

describe('tenantry audit erase', () => {
  it('erases a disabled account from the log, which still verifies, and says what it did', async () => {
    const ann = await signUp(client)
    const bob = await addMember(ann)
    const refused = await run('audit', 'erase', bob.email, '--json')
    assert.deepEqual([refused.exitCode, JSON.parse(refused.stderr).error.code], [1, 'account_not_disabled'])
    await json('user', 'disable', bob.email, '--no-email')
    const { id, companies, remaining } = await json(
      'audit',
      'erase',
      bob.email,
      '--as',
      'Cora',
      '--reason',
      'Asked for',
    )
    assert.deepEqual([id, companies, remaining], [bob.id, 1, { version1: 0, missed: 0 }])
    assert.equal((await json('audit', 'verify', ann.company.id)).valid, true)
    const { data } = (await ann.api.get('/companies/audit?action=audit.erase')).body
    assert.deepEqual(
      [data[0].actor.name, data[0].target, data[0].changes],
      ['Operator (Cora)', { type: 'account', id: bob.id, label: '' }, { reason: { to: 'Asked for' } }],
    )
    assert.match((await run('audit', 'erase', bob.id.toUpperCase())).stdout, /^Nothing was left to erase\.$/m)
  })

  it('fails when records remain that name the person', async () => {
    const ann = await signUp(client)
    const bob = await addMember(ann)
    await ann.api.get('/companies/audit/verify')
    await service.db.query(`update audit_heads set signature = 'x' where company_id = $1`, [ann.company.id])
    await json('user', 'disable', bob.email, '--no-email')
    const { exitCode, stderr } = await run('audit', 'erase', bob.email)
    assert.equal(exitCode, 1)
    assert.match(stderr, /^warning: \d+ records still name the person/m)
    assert.equal((await run('audit', 'erase', 'no@example.com')).exitCode, 3)
  })
})

describe('tenantry audit verify', () => {
  it('verifies one company or all, and names the first wrong record', async () => {
    const ann = await signUp(client)
    await addMember(ann)
    await ann.api.get('/companies/audit/verify')
    await json('company', 'suspend', ann.company.id, '--no-email')
    await json('company', 'resume', ann.company.id, '--no-email')
    assert.equal((await ann.api.get('/companies/audit/verify')).body.data.valid, true)
    const one = await json('audit', 'verify', ann.company.slug)
    assert.deepEqual([one.valid, one.companies, one.invalid], [true, 1, []])
    assert.ok(one.records >= 4)
    await service.db.query(`update audit_records set action = 'companies.delete' where company_id = $1 and seq = 2`, [
      ann.company.id,
    ])
    // Names are not sealed: a person who changed the log may have written anything there.
    const hiding = `update companies set name = e'A\\u001b[8m\\nVerified\\u009b8m' where id = $1`
    await service.db.query(hiding, [ann.company.id])
    const all = await run('audit', 'verify')
    assert.equal(all.exitCode, 1)
    assert.match(all.stdout, /^INVALID {2}A\?\[8m\?Verified\?8m \(/m)
    const { stdout } = await run('audit', 'verify', '--json')
    assert.match(stdout, /"name": "A\\u001b\[8m\\nVerified\\u009b8m"/)
    assert.match(all.stdout, new RegExp(`^INVALID  .*\\(${ann.company.id}\\): record 2, changed$`, 'm'))
  })

  it('needs both files or none, and no company with them', async () => {
    for (const args of [
      ['--export', 'x'],
      ['--keys', 'x'],
      ['acme', '--export', 'x', '--keys', 'y'],
    ])
      assert.equal((await run('audit', 'verify', ...args)).exitCode, 2)
  })
})

describe('a command', () => {
  it('exits with 4 when the database can not be used, in one line', async () => {
    const nowhere = settings.DATABASE_URL.replace(/test_\w+/, 'nowhere')
    const { exitCode, stdout, stderr } = await commandLineWith({ ...settings, DATABASE_URL: nowhere })(
      'company',
      'list',
    )
    assert.deepEqual([exitCode, stdout], [4, ''])
    assert.match(stderr, /^DATABASE_URL: database "nowhere" does not exist\n$/)
  })

  it('is refused in one line while settings are wrong or the schema is another', async () => {
    const db = await createTestDatabase({ empty: true })
    try {
      const outdated = commandLineWith({ ...settings, DATABASE_URL: databaseUrlOf(db) })
      const misconfigured = commandLineWith({ ...settings, PORT: 'x' })
      for (const command of [outdated, misconfigured]) {
        const { exitCode, stdout, stderr } = await command('user', 'find', 'x')
        assert.deepEqual([exitCode, stdout], [1, ''])
        assert.match(
          stderr,
          /^(PORT is not a whole number|The database is not at the schema of this version.*migrate)\n$/,
        )
      }
    } finally {
      await db.drop()
    }
  })

  it('shows what migrate would do, and does it', async () => {
    const db = await createTestDatabase({ empty: true })
    try {
      const empty = commandLineWith({ ...settings, DATABASE_URL: databaseUrlOf(db) })
      const { json: preview } = await empty('migrate', '--dry-run', '--json')
      assert.ok(preview.wouldRun.length > 20)
      assert.deepEqual(await db.query(`select from pg_tables where schemaname = 'public'`), [])
      assert.deepEqual((await empty('migrate', '--json')).json.ran, preview.wouldRun)
      assert.deepEqual((await empty('migrate', '--dry-run', '--json')).json.wouldRun, [])
      assert.equal((await empty('migrate')).stdout, 'The database is up to date.\n')
    } finally {
      await db.drop()
    }
  })

  it('prints the roles for the address in a file, and fails where that can not be read', async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'tenantry-roles-')), 'url')
    const roles = commandLineWith({ DATABASE_URL_FILE: file })
    assert.deepEqual(await roles('roles'), {
      exitCode: 1,
      stdout: '',
      stderr: "DATABASE_URL_FILE names a file that can't be read: ENOENT\n",
      json: false,
    })
    writeFileSync(file, 'postgres://olga:secret@db.example.com/production\n')
    const { sql } = (await roles('roles', '--json')).json
    assert.match(sql, /grant %I to %I', role_name, 'olga'/)
    assert.match(sql, /revoke connect on database "production" from public/)
    rmSync(path.dirname(file), { recursive: true })
  })

  it('seeds an account with a company and members', async () => {
    const email = anyEmail()
    const options = ['--email', email, '--company', `Of ${email}`, '--members', '7']
    assert.deepEqual((await json('seed', ...options)).members, 7)
    const owner = await signIn(client, email)
    assert.equal((await owner.api.get('/companies/users')).body.total, 8)
    assert.equal((await json('seed', ...options)).isNew, false)
    const other = await run('seed', '--email', anyEmail(), '--company', `Of ${email}`)
    assert.deepEqual([other.exitCode, other.stderr.split('\n').length], [1, 2])
  })
})
