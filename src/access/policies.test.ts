import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { useTestApp } from '../../test/support/app.ts'
import { addApp, confirmFactor, confirmSignIn } from '../../test/support/factors.ts'
import { invitationToken, invite, registerInvited } from '../../test/support/invitations.ts'
import { addMember, join, link, rolesOf } from '../../test/support/members.ts'
import { addPasskey, tryPasskey } from '../../test/support/passkeys.ts'
import { assertProblem, PASSWORD, type Person, signIn, signUp } from '../../test/support/people.ts'
import { closing, dropPolicy, setPolicy } from '../../test/support/policies.ts'
import { OpenApiDocument } from '../http/openapi/document.ts'
import { newId } from '../lib/ids.ts'
import { type ClosedCode, closedCodes } from './policies.ts'
import type { Access } from './requirements.ts'

const declaring = mock.method(OpenApiDocument.prototype, 'add')
const service = await useTestApp()
const operations = declaring.mock.calls.flatMap(({ arguments: [method, url, declaration] }) => {
  const access: Access = declaration.access
  const hasHead = method === 'GET' && !declaration.response.mediaTypes
  return typeof access === 'object' ? [{ method, path: url.slice('/api'.length), access, hasHead }] : []
})
const { query } = service.db
const at = ({ company }: Person) => `/companies/${company.id}`
const accessOf = async ({ api }: Person) => (await api.get('/auth/me')).body.data.companyAccess
const upcomingOf = async ({ api }: Person) => (await api.get('/auth/me')).body.data.companyAccessFrom
const age = ({ sessionId }: Person, columns: string) =>
  query(`update sessions set ${columns} where id = $1`, [sessionId])
const answers = async (person: Person) => {
  const { status, body } = await person.api.get(at(person))
  return status === 200 ? 'open' : body.code
}

/** A policy in the words of its columns, with a session that just passes it and one that just does not. */
async function assertEdge(policy: string, open: string, closed: string, code: ClosedCode): Promise<void> {
  const ann = await signUp(service.client)
  await setPolicy(service.db, ann.company.id, policy)
  await age(ann, open)
  assert.deepEqual([await answers(ann), await accessOf(ann)], ['open', { [ann.company.id]: 'open' }])
  await age(ann, closed)
  assert.deepEqual([await answers(ann), await accessOf(ann)], [code, { [ann.company.id]: code }])
  await dropPolicy(service.db, ann.company.id)
  assert.deepEqual([await answers(ann), await accessOf(ann)], ['open', { [ann.company.id]: 'open' }])
}

describe('the policy of a company', () => {
  it('asks for a proof once the last one is too old, to the second', () =>
    assertEdge(
      `policy_age = '24 hours'`,
      `authenticated_at = now() - interval '24 hours' + interval '5 seconds'`,
      `authenticated_at = now() - interval '24 hours'`,
      'reauthentication_required',
    ))

  it('asks for a proof after a pause that was too long', () =>
    assertEdge(
      `policy_pause = '75 minutes'`,
      `longest_pause = '75 minutes'`,
      `longest_pause = '75 minutes 1 second'`,
      'reauthentication_required',
    ))

  it('refuses a session that a short, a common or an unknown password opened', async () => {
    const long = `policy_passwords = '{0,12,15,-12,-15}'`
    await assertEdge(long, 'password_class = 12', 'password_class = 8', 'password_too_weak_for_company')
    await assertEdge(long, 'password_class = -15', 'password_class = null', 'password_too_weak_for_company')
    const uncommon = `policy_passwords = '{0,8,12,15}'`
    await assertEdge(uncommon, 'password_class = 8', 'password_class = -15', 'password_too_weak_for_company')
    await assertEdge(uncommon, 'password_class = 0', 'password_class = -8', 'password_too_weak_for_company')
  })

  it('asks for the second factor that the session has proved, from a date on, of all or of those with a role', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    await setPolicy(service.db, ann.company.id, `policy_factor_from = now() + interval '5 seconds'`)
    assert.equal(await answers(ann), 'open')
    await setPolicy(service.db, ann.company.id, 'policy_factor_from = now()')
    assert.equal(await answers(ann), 'second_factor_required_by_company')
    await age(ann, 'second_factor_at = now()')
    // The account has none any more, whatever the session once proved.
    assert.equal(await answers(ann), 'second_factor_required_by_company')
    await confirmFactor(service.db, ann.id)
    assert.equal(await answers(ann), 'open')

    assert.equal(await answers(bob), 'second_factor_required_by_company')
    await setPolicy(service.db, ann.company.id, `policy_factor_roles = '{owner}'`)
    assert.equal(await answers(bob), 'open')
    const role = (await ann.api.post('/companies/roles', { name: 'Clerk', permissions: [] })).body.data
    await setPolicy(service.db, ann.company.id, `policy_factor_roles = '{owner,${role.id}}'`)
    await ann.api.patch(`/companies/users/${bob.id}`, { roleIds: [role.id] })
    assert.equal(await answers(bob), 'second_factor_required_by_company')
  })

  it('says before the date whom it will ask for a second factor, and to no one else', async () => {
    const ann = await signUp(service.client)
    const [bob, carl] = [
      await join(ann, await signUp(service.client)),
      await join(ann, await signUp(service.client), ['Admin']),
    ]
    assert.equal(await upcomingOf(bob), undefined)
    const from = new Date(Date.now() + 10 * 86_400_000).toISOString()
    await setPolicy(service.db, ann.company.id, `policy_factor_from = '${from}'`)
    const upcoming = { [ann.company.id]: { from, code: 'second_factor_required_by_company' } }
    for (const person of [ann, bob, carl]) assert.deepEqual(await upcomingOf(person), upcoming)
    assert.equal((await accessOf(bob))[ann.company.id], 'open')
    const signedIn = await service.client.post('/auth/login', { email: bob.email, password: PASSWORD })
    assert.deepEqual(signedIn.body.data.companyAccessFrom, upcoming)

    await setPolicy(service.db, ann.company.id, `policy_factor_roles = '{admin}'`)
    assert.deepEqual([await upcomingOf(bob), await upcomingOf(carl)], [undefined, upcoming])
    await addApp(service, carl)
    assert.equal(await upcomingOf(carl), undefined)
    await setPolicy(service.db, ann.company.id, 'policy_factor_from = now(), policy_factor_roles = null')
    for (const person of [ann, bob, carl]) assert.equal(await upcomingOf(person), undefined)
    assert.deepEqual([await answers(bob), await answers(carl)], ['second_factor_required_by_company', 'open'])
  })

  it('lets a member in who adds the second factor that it asks for, in the same session', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    await addApp(service, ann)
    await setPolicy(service.db, ann.company.id, closing.second_factor_required_by_company)
    assert.equal((await ann.api.get(at(ann))).status, 200)
    assertProblem(await bob.api.get(at(ann)), 403, 'second_factor_required_by_company')
    await addApp(service, bob)
    assert.equal((await bob.api.get(at(ann))).status, 200)
  })

  it('asks an account with a second factor for that one, not for its password', async () => {
    const ann = await signUp(service.client)
    await confirmFactor(service.db, ann.id)
    await setPolicy(service.db, ann.company.id, `policy_age = '1 hour'`)
    const refused = await ann.api.get(at(ann))
    assertProblem(refused, 403, 'reauthentication_required')
    assert.deepEqual(refused.body.methods, ['totp'])
    await age(ann, `second_factor_at = now(), authenticated_at = 'epoch'`)
    assert.equal(await answers(ann), 'open')
  })

  it('refuses in one order, and names the methods by which a proof can be given', async () => {
    const ann = await signUp(service.client)
    await setPolicy(service.db, ann.company.id, Object.values(closing).join(', '))
    for (const code of closedCodes) {
      const refused = await ann.api.get(at(ann))
      assertProblem(refused, 403, code)
      const methods = { second_factor_required_by_company: [], reauthentication_required: ['password'] }
      assert.deepEqual(refused.body.methods, methods[code as keyof typeof methods])
      const [column] = (closing[code] as string).split(' ')
      await setPolicy(service.db, ann.company.id, code === closedCodes.at(-1) ? 'tax_id = tax_id' : `${column} = null`)
    }
  })

  it('is another one in each company, and the session stays the same everywhere', async () => {
    const ann = await signUp(service.client)
    const others = await Promise.all([1, 2].map(() => signUp(service.client)))
    const inside = [ann, ...(await Promise.all(others.map((owner) => join(owner, ann))))]
    const [, second, third] = inside.map(({ company }) => company.id) as [string, string, string]
    await setPolicy(service.db, second, closing.network_not_allowed)
    await setPolicy(service.db, third, closing.second_factor_required_by_company)
    const expected = ['open', 'network_not_allowed', 'second_factor_required_by_company']
    assert.deepEqual(
      await accessOf(ann),
      Object.fromEntries(inside.map(({ company }, index) => [company.id, expected[index]])),
    )
    assert.deepEqual(await Promise.all(inside.map(answers)), expected)
    const exchanged = await service.client.post('/auth/refresh', { refreshToken: ann.refreshToken })
    assert.equal(exchanged.status, 200)
    const listed = (await ann.api.get('/companies')).body
    assert.equal(listed.total, 3)
  })

  it('is met by one session step by step, and each step opens one company more', async () => {
    const ann = await signUp(service.client)
    const others = await Promise.all([1, 2].map(() => signUp(service.client)))
    const inside = [ann, ...(await Promise.all(others.map((owner) => join(owner, ann))))]
    const [first, second, third] = inside.map(({ company }) => company.id) as [string, string, string]
    await setPolicy(service.db, second, `policy_age = '1 hour'`)
    await setPolicy(service.db, third, 'policy_factor_from = now()')
    await age(ann, `authenticated_at = now() - interval '2 hours'`)
    const assertEach = async (...codes: string[]) => {
      assert.deepEqual(
        await accessOf(ann),
        Object.fromEntries([first, second, third].map((id, index) => [id, codes[index]])),
      )
      assert.deepEqual(await Promise.all(inside.map(answers)), codes)
    }
    await assertEach('open', 'reauthentication_required', 'second_factor_required_by_company')
    assert.equal((await ann.api.post('/auth/step-up', { currentPassword: PASSWORD })).status, 200)
    await assertEach('open', 'open', 'second_factor_required_by_company')
    const app = await addApp(service, ann)
    await assertEach('open', 'open', 'open')
    await age(ann, `second_factor_at = now() - interval '2 hours'`)
    await assertEach('open', 'reauthentication_required', 'open')
    assert.equal((await ann.api.post('/auth/step-up', { code: await app.unusedCode() })).status, 200)
    await assertEach('open', 'open', 'open')
  })

  it('is not told to people without an active membership, and opens no company', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const bob = await link(ann, await signUp(service.client))
    for (const code of closedCodes) {
      await dropPolicy(service.db, ann.company.id)
      await setPolicy(service.db, ann.company.id, closing[code])
      assertProblem(await eve.api.get(at(ann)), 404, 'company_not_found')
      assertProblem(await eve.api.get('/companies/users', { company: ann.company.id }), 403, 'not_a_member')
      assertProblem(await bob.api.get('/companies/roles'), 403, code)
      assertProblem(await bob.api.post('/companies/roles', { name: 'X', permissions: [] }), 403, code)
    }
    const [row] = await query('select opened_at from memberships where account_id = $1 and company_id = $2', [
      bob.id,
      ann.company.id,
    ])
    assert.equal(row?.opened_at, null)
    // The company learns of the attempts of those who have opened it, and of no others.
    assertProblem(await ann.api.get('/companies/users'), 403, 'password_too_weak_for_company')
    const records = await query(
      `select distinct outcome, actor_id from audit_records where company_id = $1 and outcome <> 'done'`,
      [ann.company.id],
    )
    assert.deepEqual(records, [{ outcome: 'password_too_weak_for_company', actor_id: ann.id }])
  })

  it('lets everybody leave', async () => {
    const ann = await signUp(service.client)
    for (const code of closedCodes) {
      const bob = await join(ann, await signUp(service.client))
      await setPolicy(service.db, ann.company.id, closing[code])
      assert.equal((await bob.api.post(`${at(ann)}/leave`)).status, 200)
      await dropPolicy(service.db, ann.company.id)
    }
  })
})

describe('whatever door a session comes through', () => {
  const exchanged = async ({ refreshToken }: { refreshToken: string }) =>
    (await service.client.post('/auth/refresh', { refreshToken })).body.data
  const doors: Record<string, (ann: Person) => Promise<{ accessToken: string }>> = {
    'the sign-up': async (ann) => ann,
    'the password': (ann) => signIn(service.client, ann.email),
    'an exchange of tokens': exchanged,
    'the password and a code': async (ann) => {
      const app = await addApp(service, ann)
      return (await confirmSignIn(service.client, ann, { code: await app.unusedCode() })).body.data
    },
    'a passkey': async (ann) => (await tryPasskey(service, (await addPasskey(service, ann)).authenticator)).body.data,
    'the password after a reset by link': async (ann) => {
      await service.client.post('/auth/forgot-password', { email: ann.email })
      const token = await service.mailbox.token(ann.email, 'reset_password')
      const newPassword = 'Another-horse-8'
      await service.client.post('/auth/reset-password', { token, newPassword })
      return signIn(service.client, ann.email, newPassword)
    },
    'an invitation': async (ann) => {
      const token = await invitationToken(service, await invite(ann))
      return (await registerInvited(service, token)).body.data
    },
  }

  for (const [door, comeIn] of Object.entries(doors))
    it(`it is judged by the policy: ${door}`, async () => {
      const ann = await signUp(service.client)
      const { accessToken } = await comeIn(ann)
      const enter = () => service.client.get(at(ann), { token: accessToken, company: ann.company.id })
      assert.equal((await enter()).status, 200)
      for (const code of ['network_not_allowed', 'reauthentication_required'] as const) {
        await setPolicy(service.db, ann.company.id, closing[code])
        assertProblem(await enter(), 403, code)
        await dropPolicy(service.db, ann.company.id)
      }
      assert.equal((await enter()).status, 200)
    })
})

describe('a session that the policy keeps out', () => {
  const parameters = { userId: newId(), roleId: newId(), branchId: newId() }

  for (const code of closedCodes)
    it(`is refused by every route of a company with ${code}, GET and HEAD included`, async () => {
      const ann = await signUp(service.client)
      const { id: userId } = await addMember(ann)
      const roleId = (await rolesOf(ann)).Member
      await setPolicy(service.db, ann.company.id, closing[code])
      const before = await rowsOf(ann)
      assert.ok(operations.length > 30)
      for (const { method, path, access, hasHead } of operations) {
        if (access.company === 'any membership') continue
        for (const ids of [parameters, { ...parameters, userId, roleId }]) {
          const values: Record<string, string> = { ...ids, id: ann.company.id } as never
          const filled = path.replace(/:(\w+)/g, (_, name) => values[name] ?? newId())
          for (const body of method === 'GET' ? [undefined] : [undefined, {}, { name: 'X', status: 'inactive' }])
            assertProblem(await ann.api.send(method, filled, body), 403, code)
          if (hasHead) assert.equal((await ann.api.send('HEAD', filled)).status, 403, filled)
        }
      }
      assert.deepEqual(await rowsOf(ann), before)
    })

  const rowsOf = async ({ company }: Person) =>
    Promise.all(
      ['memberships', 'membership_roles', 'roles', 'branches', 'ownership_offers', 'audit_settings'].map((table) =>
        query(`select * from ${table} where company_id = $1 order by 1, 2, 3`, [company.id]),
      ),
    )

  it('is refused when the policy changes while its write waits for the lock, and on a connection that stays open', async () => {
    const ann = await signUp(service.client)
    assert.equal((await ann.api.patch(at(ann), { taxId: 'A' })).status, 200)
    await query('begin')
    await setPolicy(service.db, ann.company.id, closing.network_not_allowed)
    const late = ann.api.patch(at(ann), { taxId: 'B' })
    await service.db.waitForLock()
    await query('commit')
    assertProblem(await late, 403, 'network_not_allowed')
    assertProblem(await ann.api.get(at(ann)), 403, 'network_not_allowed')
    const [company] = await query('select tax_id from companies where id = $1', [ann.company.id])
    assert.equal(company?.tax_id, 'A')
  })
})
