import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startTestApp, useTestApp } from '../../../../test/support/app.ts'
import type { Client } from '../../../../test/support/client.ts'
import { confirmFactor } from '../../../../test/support/factors.ts'
import { createRole, join, rolesOf } from '../../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../../test/support/people.ts'
import type { ClosedCode } from '../../../access/policies.ts'
import { newId } from '../../../lib/ids.ts'

// Each field of a policy, turned on and off on one node: the next request on another one is judged by it, to the second.

const settings = { TRUST_PROXY: 'loopback', APP_SECRET: 'one-secret-for-both-nodes-of-this-test' }
const here = await useTestApp(settings)
const there = await startTestApp(settings, here.db)
after(() => there.close())
const { db } = here
const { query } = db

const OWNER = '203.0.113.9'
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

interface Scene {
  owner: Person
  member: Person
  roles: Record<string, string>
}

/** An owner who passes every policy of this test, and a member with a role of her own. */
async function createScene(): Promise<Scene> {
  const owner = await signUp(here.client)
  await createRole(owner, 'Clerk')
  const member = await join(owner, await signUp(here.client), ['Clerk'])
  await confirmFactor(db, owner.id)
  await query('update sessions set second_factor_at = now(), password_class = 15, ip = $2 where account_id = $1', [
    owner.id,
    OWNER,
  ])
  return { owner, member, roles: await rolesOf(owner) }
}

interface Field {
  on: (scene: Scene) => object
  off: object
  /** Makes the member one who just passes, or just does not. */
  passes?: string | ((scene: Scene) => Promise<unknown>)
  fails?: string | ((scene: Scene) => Promise<unknown>)
  /** What an answer of the member says then. */
  code: ClosedCode | 'domain_not_allowed'
  address?: { passes: string; fails: string }
  send?: (member: Client, scene: Scene) => ReturnType<Client['get']>
}

const read: NonNullable<Field['send']> = (api, { owner }) => api.get(`/companies/${owner.company.id}`)
const write: NonNullable<Field['send']> = (api, { owner }) =>
  api.post(`/companies/${owner.company.id}/ownership-transfer/decline`)
const sessionWith = (columns: string) => `update sessions set ${columns} where account_id = $1`
const provedAgo = (interval: string) => sessionWith(`authenticated_at = now() - interval '${interval}'`)
const give = async ({ api }: Person, { id }: Person, roleId?: string) =>
  assert.equal((await api.patch(`/companies/users/${id}`, { roleIds: [roleId] })).status, 200)
const momentIn = (distance: number) => new Date(Date.now() + distance * 1000).toISOString()

const fields: Record<string, Field> = {
  'secondFactor.required: everybody': {
    on: () => ({ secondFactor: { required: 'everybody' } }),
    off: { secondFactor: { required: 'nobody' } },
    passes: `with added as (
      insert into second_factors (id, account_id, kind, secret, confirmed_at)
      values (gen_random_uuid(), $1, 'totp', 'x', now()))
      update sessions set second_factor_at = now() where account_id = $1`,
    fails: 'delete from second_factors where account_id = $1',
    code: 'second_factor_required_by_company',
  },
  'secondFactor.required: roles': {
    on: ({ roles }) => ({ secondFactor: { required: 'roles', roleIds: [roles.Clerk] } }),
    off: { secondFactor: { required: 'nobody' } },
    passes: ({ owner, member, roles }) => give(owner, member, roles.Member),
    fails: ({ owner, member, roles }) => give(owner, member, roles.Clerk),
    code: 'second_factor_required_by_company',
  },
  'sessions.maxAgeHours': {
    on: () => ({ sessions: { maxAgeHours: 2 } }),
    off: { sessions: { maxAgeHours: null } },
    passes: provedAgo('1 hour 59 minutes 55 seconds'),
    fails: provedAgo('2 hours'),
    code: 'reauthentication_required',
  },
  'sessions.idleMinutes': {
    on: () => ({ sessions: { idleMinutes: 15 } }),
    off: { sessions: { idleMinutes: null } },
    passes: sessionWith(`longest_pause = '30 minutes'`),
    fails: sessionWith(`longest_pause = '30 minutes 1 second'`),
    code: 'reauthentication_required',
  },
  'sessions.stepUpMinutes': {
    on: () => ({ sessions: { stepUpMinutes: 30 } }),
    off: { sessions: { stepUpMinutes: null } },
    passes: provedAgo('29 minutes 55 seconds'),
    fails: provedAgo('30 minutes'),
    code: 'reauthentication_required',
    send: write,
  },
  'networks.allow': {
    on: () => ({ networks: { allow: [OWNER, '198.51.100.128/25'] } }),
    off: { networks: { allow: [] } },
    address: { passes: '198.51.100.128', fails: '198.51.100.127' },
    code: 'network_not_allowed',
  },
  'passwords.minLength': {
    on: () => ({ passwords: { minLength: 12 } }),
    off: { passwords: { minLength: 8 } },
    passes: sessionWith('password_class = -12'),
    fails: sessionWith('password_class = 8'),
    code: 'password_too_weak_for_company',
  },
  'passwords.refuseCommon': {
    on: () => ({ passwords: { refuseCommon: true } }),
    off: { passwords: { refuseCommon: false } },
    passes: sessionWith('password_class = 8'),
    fails: sessionWith('password_class = -15'),
    code: 'password_too_weak_for_company',
  },
}

describe('on every node from the next request on', () => {
  for (const [name, field] of Object.entries(fields))
    it(`${name} is on, tells its edge, is what a dry run has said, and is off`, async () => {
      const scene = await createScene()
      const { owner, member } = scene
      const set = (body: object, query = '') => owner.api.patch(`/companies/policy${query}`, body, from(OWNER))
      const onBoth = async (address = OWNER) => {
        const outcomes: string[] = []
        for (const { client } of [here, there]) {
          const api = client.with({ token: member.accessToken, company: owner.company.id, ...from(address) })
          const { status, body } = await (field.send ?? read)(api, scene)
          outcomes.push(status === 403 ? body.code : 'open')
        }
        return outcomes
      }
      const become = async (which: 'passes' | 'fails') => {
        const change = field[which]
        if (typeof change === 'string') await query(change, [member.id])
        else await change?.(scene)
        await query('update sessions set ip = $2 where account_id = $1', [member.id, field.address?.[which] ?? OWNER])
      }
      const shut = async (body: object) => {
        const tried = await set(body, '?dryRun=true')
        assert.equal(tried.status, 200, JSON.stringify(tried.body))
        return tried.body.data.impact.shutNow.sample.map((each: { id: string; closedBy: string }) => [
          each.id,
          each.closedBy,
        ])
      }
      const isOfDoor = field.send === undefined

      const on = field.on(scene)
      await become('fails')
      assert.deepEqual(await shut(on), isOfDoor ? [[member.id, field.code]] : [])
      assert.deepEqual(await onBoth(field.address?.fails), ['open', 'open'])
      await become('passes')
      assert.deepEqual(await shut(on), [])

      const turned = await set(on)
      assert.equal(turned.status, 200, JSON.stringify(turned.body))
      assert.deepEqual(await onBoth(field.address?.passes), ['open', 'open'])
      await become('fails')
      assert.deepEqual(await onBoth(field.address?.fails), [field.code, field.code])
      assert.deepEqual(await shut(field.off), [])
      assert.deepEqual(await onBoth(field.address?.fails), [field.code, field.code])
      assert.equal((await set(field.off)).status, 200)
      assert.deepEqual(await onBoth(field.address?.fails), ['open', 'open'])
    })

  it('secondFactor.from has come, and not before', async () => {
    const { owner, member } = await createScene()
    const set = (distance: number) =>
      owner.api.patch('/companies/policy', { secondFactor: { required: 'everybody', from: momentIn(distance) } })
    const onBoth = () =>
      Promise.all(
        [here, there].map(async ({ client }) => {
          const api = client.with({ token: member.accessToken, company: owner.company.id })
          return (await api.get(`/companies/${owner.company.id}`)).status
        }),
      )
    assert.equal((await set(5)).status, 200)
    assert.deepEqual(await onBoth(), [200, 200])
    assert.equal((await set(-1)).status, 200)
    assert.deepEqual(await onBoth(), [403, 403])
  })

  it('members.domains is on and off, and shuts out no one who is there', async () => {
    const { owner, member } = await createScene()
    const set = (members: object, query = '') => owner.api.patch(`/companies/policy${query}`, { members })
    const add = ({ client }: typeof here) =>
      client
        .with({ token: owner.accessToken, company: owner.company.id })
        .post('/companies/users', { name: 'New', email: `x-${newId()}@example.com` })
    const on = { domains: ['corp.example'], appliesTo: 'invitations_and_additions' }
    const { impact } = (await set(on, '?dryRun=true')).body.data
    assert.deepEqual([impact.shutNow.total, impact.cannotOpen.total], [0, 0])
    for (const node of [here, there]) assert.equal((await add(node)).status, 201)
    assert.equal((await set(on)).status, 200)
    for (const node of [here, there]) assertProblem(await add(node), 403, 'domain_not_allowed')
    assert.equal((await member.api.get(`/companies/${owner.company.id}`)).status, 200)
    assert.equal((await set({ domains: [] })).status, 200)
    for (const node of [here, there]) assert.equal((await add(node)).status, 201)
  })

  it('times are compared to the second by the database itself', async () => {
    const { owner } = await createScene()
    const closedBy = async (session: string, policy: string) => {
      await query('begin')
      await query(`update sessions set ${session} where id = $1`, [owner.sessionId])
      const [row] = await query(
        `select closed_by(company, sessions, false, '{}', '::1') as code
         from sessions, jsonb_populate_record(null::companies, $2) company where sessions.id = $1`,
        [owner.sessionId, policy],
      )
      await query('rollback')
      return row?.code
    }
    const age = JSON.stringify({ has_policy: true, policy_age: '1 hour' })
    assert.equal(await closedBy(`authenticated_at = now() - interval '59 minutes 59 seconds'`, age), null)
    assert.equal(
      await closedBy(`authenticated_at = now() - interval '60 minutes 1 second'`, age),
      'reauthentication_required',
    )
    const factorFrom = async (offset: string) => {
      const [row] = await query(
        `select asks_second_factor(jsonb_populate_record(null::companies,
           jsonb_build_object('policy_factor_from', now() + $1::interval)), '{}', now()) as asks`,
        [offset],
      )
      return row?.asks
    }
    assert.deepEqual([await factorFrom('1 second'), await factorFrom('-1 second')], [false, true])
  })
})
