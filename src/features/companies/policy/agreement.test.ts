import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { useTestApp } from '../../../../test/support/app.ts'
import { confirmFactor } from '../../../../test/support/factors.ts'
import { createRole, rolesOf } from '../../../../test/support/members.ts'
import { type Person, signUp } from '../../../../test/support/people.ts'
import {
  asksFactor,
  expectedClosed,
  MODEL_POLICY_COLUMNS,
  MODEL_SESSION_COLUMNS,
  type ModelPolicy,
  type ModelSession,
} from '../../../../test/support/policy-model.ts'
import { addMembers, type MemberFacts, type SessionFacts } from '../../../../test/support/policy-population.ts'
import type { ClosedCode } from '../../../access/policies.ts'
import { createTokenPair, type TokenSource } from '../../accounts/tokens.ts'
import { columnsOf } from './policy.ts'
import type { Policy } from './schemas.ts'

// What a policy keeps out is said in three ways: by the dry run, by the list of members who don't comply, and by each request.
// Here all three are held against each other, and against a model, for random policies, members and sessions.

const service = await useTestApp({ TRUST_PROXY: 'loopback' })
const { query } = service.db
const path = '/companies/policy'

const ADDRESSES = ['203.0.113.9', '198.51.100.77', '2001:db8::7', '192.0.2.200']
const NETWORKS = ['203.0.113.0/24', '198.51.100.77/32', '2001:db8::/32', '192.0.2.128/25', '10.0.0.0/8']
const DOMAINS = ['corp.example', 'other.example', 'sub.corp.example']
const ROLES = ['Member', 'Admin', 'Clerk']
const CLASSES = [null, 0, 8, -8, 12, -12, 15, -15]
/** Far from the ages that policies name, so that the time a run takes changes nothing. */
const MINUTES = [1, 40, 100, 300, 2000, 9000]

const MEMBERS = 1000
const POLICIES = 20
/** Sessions that enter with a request, for each policy. */
const PICKS = { minLength: 50, maxLength: 50 }
/** What a dry run names of all whom it counts. */
const SAMPLE = 100

const session: fc.Arbitrary<SessionFacts> = fc.record({
  provedMinutes: fc.constantFrom(...MINUTES),
  factorMinutes: fc.constantFrom(null, null, ...MINUTES),
  usedMinutes: fc.constantFrom(...MINUTES),
  pauseMinutes: fc.constantFrom(0, 0, 100, 2000),
  passwordClass: fc.constantFrom(...CLASSES),
  address: fc.constantFrom(...ADDRESSES),
  lastAddress: fc.constantFrom(null, ...ADDRESSES),
  state: fc.constantFrom('live', 'live', 'live', 'live', 'revoked', 'expired', 'with a temporary password'),
})
const member: fc.Arbitrary<MemberFacts> = fc.record({
  state: fc.constantFrom('active', 'active', 'active', 'active', 'active', 'inactive', 'unopened', 'disabled'),
  hasFactor: fc.boolean(),
  role: fc.constantFrom(...ROLES),
  domain: fc.constantFrom(...DOMAINS),
  isVerified: fc.boolean(),
  sessions: fc.array(session, { maxLength: 3 }),
})
const policyWith = (roleIds: string[]) =>
  fc.record({
    secondFactor: fc.oneof(
      fc.constant({ required: 'nobody' }),
      fc.record({
        required: fc.constantFrom('everybody', 'roles'),
        roleIds: fc.subarray(roleIds, { minLength: 1 }),
        from: fc
          .constantFrom(null, null, -1, 20)
          .map((days) => days && new Date(Date.now() + days * 86_400_000).toISOString()),
      }),
    ),
    sessions: fc.record({
      maxAgeHours: fc.constantFrom(null, null, 1, 24, 720),
      idleMinutes: fc.constantFrom(null, null, 15, 1000),
    }),
    networks: fc.record({ allow: fc.oneof(fc.constant([]), fc.subarray(NETWORKS)) }),
    members: fc.record({ domains: fc.oneof(fc.constant([]), fc.subarray(DOMAINS)) }),
    passwords: fc.record({ minLength: fc.constantFrom(8, 8, 12, 15), refuseCommon: fc.boolean() }),
  })

it('is told by the dry run and by the list of members who don’t comply as each request finds it', async () => {
  const ann = await signUp(service.client)
  const clerk = await createRole(ann, 'Clerk')
  const roles = { ...(await rolesOf(ann)), Clerk: clerk.id } as Record<string, string>
  const keys = { [roles.Member as string]: 'member', [roles.Admin as string]: 'admin', [clerk.id]: clerk.id }
  const [members] = fc.sample(fc.array(member, { minLength: MEMBERS, maxLength: MEMBERS }), { seed: 4, numRuns: 1 })
  await addMembers(service.db, ann.company.id, roles, members as MemberFacts[])
  // Whatever the policy says, from the right address it lets its owner in.
  await confirmFactor(service.db, ann.id)
  await query('update sessions set second_factor_at = now(), password_class = 15 where account_id = $1', [ann.id])
  let from = '127.0.0.1'
  await fc.assert(
    fc.asyncProperty(policyWith(Object.keys(keys)), fc.uniqueArray(fc.nat(999), PICKS), async (policy, picks) => {
      const tried = await ann.api.patch(`${path}?dryRun=true`, policy, forwarded(from))
      assert.equal(tried.status, 200, JSON.stringify(tried.body))
      await apply(ann, tried.body.data, keys)
      from = inside(tried.body.data)
      const model = await modelOf(ann)
      const expected = expectedFindings(model)
      assertToldByDryRun(tried.body.data.impact, {
        shut: expected.flatMap(({ id, closedBy }) => (closedBy ? [`${id} ${closedBy}`] : [])),
        lacking: expected.flatMap(({ id, lacks }) => {
          const missing = lacks.filter((each) => each !== 'domain')
          return missing.length > 0 ? [`${id} ${missing}`] : []
        }),
      })
      assert.deepEqual(
        await toldByList(ann, from),
        expected.filter(({ closedBy, lacks }) => closedBy !== null || lacks.length > 0),
      )
      await assertRequestsAgree(ann, model, picks)
    }),
    { seed: 14, numRuns: POLICIES, endOnFailure: true },
  )
})

/** As an owner whom it lets in had set it. */
async function apply({ company }: Person, policy: Policy, keys: Record<string, string>): Promise<void> {
  const columns = columnsOf(
    policy,
    policy.secondFactor.roleIds.map((id) => keys[id] as string),
  )
  const names = Object.keys(columns).join()
  await query(
    `update companies set (${names}) = (select ${names} from jsonb_populate_record(companies, $2)) where id = $1`,
    [company.id, JSON.stringify(columns)],
  )
}

interface Finding {
  id: string
  closedBy: string | null
  lacks: string[]
}

// biome-ignore lint/suspicious/noExplicitAny: an answer, as a client sees it.
function assertToldByDryRun({ shutNow, cannotOpen }: any, { shut, lacking }: { shut: string[]; lacking: string[] }) {
  assert.deepEqual([shutNow.total, cannotOpen.total], [shut.length, lacking.length])
  assert.deepEqual(
    shutNow.sample.map(({ id, closedBy }: Finding) => `${id} ${closedBy}`),
    shut.slice(0, SAMPLE),
  )
  assert.deepEqual(
    cannotOpen.sample.map(({ id, lacks }: Finding) => `${id} ${lacks}`),
    lacking.slice(0, SAMPLE),
  )
}

async function toldByList({ api }: Person, from: string): Promise<Finding[]> {
  const told: Finding[] = []
  for (let page = 1, total = 1; told.length < total; page++) {
    const { status, body } = await api.get(`${path}/compliance?limit=100&page=${page}`, forwarded(from))
    assert.equal(status, 200, JSON.stringify(body))
    assert.ok(body.data.length > 0 || body.total === 0)
    total = body.total
    told.push(...body.data.map(({ id, closedBy, lacks }: Finding) => ({ id, closedBy, lacks })))
  }
  return told.sort(byId)
}

const forwarded = (address: string) => ({ headers: { 'x-forwarded-for': address } })
/** An address from which the policy lets people in. */
const inside = ({ networks }: Policy) => networks.allow[0]?.split('/')[0] ?? '127.0.0.1'
const byId = (a: Finding, b: Finding) => (a.id < b.id ? -1 : 1)

interface Member {
  id: string
  domain: string
  roles: string[]
  hasSecondFactor: boolean
}

interface LiveSession extends ModelSession, TokenSource {
  address: string
  usedAt: number
}

/** By the model alone. A session is judged as after the exchange of its tokens from its last address. */
async function modelOf({ company }: Person) {
  const [policy] = await query<ModelPolicy & { domains: string[] | null; now: number }>(
    `select ${MODEL_POLICY_COLUMNS}, policy_domains as domains, (extract(epoch from now()) * 1000)::float8 as now
     from companies where id = $1`,
    [company.id],
  )
  const members = await query<Member>(
    `select accounts.id, split_part(accounts.email, '@', 2) as domain, has_second_factor as "hasSecondFactor",
       array(select coalesce(system_key, roles.id::text) from membership_roles join roles on roles.id = role_id
             where account_id = accounts.id and membership_roles.company_id = $1) as roles
     from memberships join accounts on accounts.id = account_id
     where company_id = $1 and status = 'active' and opened_at is not null and disabled_at is null order by accounts.id`,
    [company.id],
  )
  const sessions = await query<LiveSession>(
    `select sessions.id, account_id, refresh_id, to_json(rotated_at) #>> '{}' as rotated_at,
       to_json(refresh_expires_at) #>> '{}' as refresh_expires_at, host(coalesce(last_ip, ip)) as address,
       (extract(epoch from last_used_at) * 1000)::float8 as "usedAt", ${MODEL_SESSION_COLUMNS}
     from sessions join accounts on accounts.id = account_id
     where revoked_at is null and not sessions.must_change_password and refresh_expires_at > now() order by last_used_at desc`,
  )
  return { policy: policy as ModelPolicy & { domains: string[] | null; now: number }, members, sessions }
}

type Model = Awaited<ReturnType<typeof modelOf>>

function codeOf({ policy }: Model, { roles }: Member, session: LiveSession): ClosedCode | undefined {
  const { now } = policy
  const activeAt = Math.max(session.usedAt, session.authenticatedAt, session.secondFactorAt ?? 0)
  const longestPauseMs = Math.max(session.longestPauseMs, now - activeAt)
  return expectedClosed(policy, { ...session, longestPauseMs }, { roles, address: session.address, now })
}

function expectedFindings(model: Model): Finding[] {
  const { policy, members, sessions } = model
  return members.map((member) => {
    const own = sessions.filter(({ account_id }) => account_id === member.id)
    const codes = own.map((session) => codeOf(model, member, session))
    const lacksFactor = asksFactor(policy, member.roles, Number.POSITIVE_INFINITY) && !member.hasSecondFactor
    const accepted = policy.passwords
    const lacksPassword =
      accepted && own.length > 0 && own.every(({ passwordClass }) => !accepted.includes(passwordClass ?? -1))
    const lacksDomain = policy.domains && !policy.domains.includes(member.domain)
    const lacks = [lacksFactor && 'second_factor', lacksPassword && 'password', lacksDomain && 'domain']
    return {
      id: member.id,
      closedBy: codes.every((code) => code !== undefined) ? (codes[0] ?? null) : null,
      lacks: lacks.filter((each) => typeof each === 'string'),
    }
  })
}

/** Some sessions exchange their tokens and enter, each from its own address. */
async function assertRequestsAgree({ company }: Person, model: Model, picks: readonly number[]): Promise<void> {
  const own = model.sessions.flatMap((session) => {
    const member = model.members.find(({ id }) => id === session.account_id)
    return member ? [{ session, code: codeOf(model, member, session) ?? 'open' }] : []
  })
  const chosen = [...new Set(picks.map((pick) => pick % own.length))].map((index) => own[index] as (typeof own)[number])
  const enter = async ({ session, code }: (typeof own)[number]) => {
    const { refreshToken } = createTokenPair(service.keys, session)
    const exchanged = await service.client.post('/auth/refresh', { refreshToken }, forwarded(session.address))
    const entering = { token: exchanged.body.data.accessToken, company: company.id, ...forwarded(session.address) }
    const { status, body } = await service.client.get(`/companies/${company.id}`, entering)
    assert.equal(status === 200 ? 'open' : body.code, code, JSON.stringify({ session, policy: model.policy }))
  }
  await Promise.all(chosen.map(enter))
}
