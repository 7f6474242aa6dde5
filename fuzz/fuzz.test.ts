import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { newId } from '../src/lib/ids.ts'
import { VERIFY } from './audits.ts'
import { runBatch } from './batches.ts'
import type { Caller } from './callers.ts'
import type { FuzzContext } from './context.ts'
import type { Operation } from './document.ts'
import type { HttpAnswer } from './http-client.ts'
import { leaks } from './leaks.ts'
import type { Mutation } from './mutations.ts'
import { type Plan, planOf } from './plans.ts'
import { describeFinding } from './report.ts'
import { type Request, requestFrom } from './requests.ts'
import { closeContext, fuzz, openContext } from './run.ts'
import { tokenInCookie } from './session-cookies.ts'
import { CURRENT_ETAG, Placeholder } from './values.ts'
import { withCurrentTag } from './versions.ts'

let context: FuzzContext
before(async () => {
  context = await openContext()
})
after(() => closeContext(context))

const NO_MUTATIONS = fc.constant<Mutation[]>([])
const SEED = 20_261_121
/** Enough for the batches on a busy machine. */
const SECONDS_MAX = 90

describe('the service under generated requests', () => {
  it('violates no rule', async () => {
    const found = await fuzz(context, { seed: SEED, batches: 12, seconds: SECONDS_MAX })
    assert.deepEqual(found.map(describeFinding), [])
    assert.ok(context.coverage.total > 50, String(context.coverage.total))
  })

  it('answers a valid request to every operation with success', async () => {
    const unserved: string[] = []
    for (const operation of context.world.document.operations) {
      await context.world.restore()
      if (!(await isServed(operation))) unserved.push(operation.id)
    }
    assert.deepEqual(unserved, [])
    assert.ok(context.world.document.operations.length > 25)
  })

  async function isServed(operation: Operation): Promise<boolean> {
    for (const plan of fc.sample(planOf(context.world.document, operation, NO_MUTATIONS), {
      seed: SEED,
      numRuns: 80,
    })) {
      const { status } = await context.client.send(await withCurrentTag(context, requestFrom(context.world, plan)))
      if (status < 300) return true
    }
    return false
  }
})

/** The same context with a client that changes the answers. */
function changingAnswers(
  change: (answer: HttpAnswer, request: Request) => HttpAnswer | Promise<HttpAnswer>,
): FuzzContext {
  const send = async (request: Request) => {
    const answer = await context.client.send(request)
    return request.path === VERIFY ? answer : change(answer, request)
  }
  return { ...context, client: { ...context.client, send: send as FuzzContext['client']['send'] } }
}

/** The rules that one valid request violates when its answer is changed. */
async function rulesBroken(
  id: string,
  plan: Partial<Plan>,
  change: Parameters<typeof changingAnswers>[0],
): Promise<string[]> {
  const operation = context.world.document.operations.find((each) => each.id === id) as Operation
  const [good] = fc.sample(planOf(context.world.document, operation, NO_MUTATIONS), { seed: SEED, numRuns: 1 })
  const findings = await runBatch(changingAnswers(change), [
    { plans: [{ ...(good as Plan), headers: {}, again: false, ...plan }], times: 1 },
  ])
  return findings.map(({ rule }) => rule)
}

const unchanged = (answer: HttpAnswer) => answer
const withBody = (answer: HttpAnswer, change: object): HttpAnswer => ({
  ...answer,
  text: JSON.stringify({ ...JSON.parse(answer.text), ...change }),
})
const me = { caller: 'A Second Member', query: {} }

describe('the checks of the fuzzer find', () => {
  it('nothing in correct answers', async () => {
    for (const id of ['getMe', 'listMembers', 'listRoles', 'getHealth'])
      assert.deepEqual(await rulesBroken(id, me, unchanged), [])
  })

  it('a server error', async () => {
    const rules = await rulesBroken('getMe', me, (answer) => ({ ...answer, status: 500 }))
    assert.ok(rules.includes('no server error'), String(rules))
  })

  it('a status that is not documented', async () => {
    const rules = await rulesBroken('getMe', me, (answer) => ({ ...answer, status: 418 }))
    assert.deepEqual(rules, ['status'])
  })

  it('a field that is not documented, one that is missing, one of another type', async () => {
    for (const change of [{ extra: 1 }, { success: undefined }, { message: 7 }])
      assert.deepEqual(await rulesBroken('getMe', me, (answer) => withBody(answer, change)), ['body'])
  })

  it('a media type that is not documented', async () => {
    const headers = (answer: HttpAnswer) => new Map(answer.headers).set('content-type', ['text/html'])
    assert.deepEqual(await rulesBroken('getMe', me, (answer) => ({ ...answer, headers: headers(answer) })), ['body'])
  })

  it('a header that is missing', async () => {
    const rules = await rulesBroken('getMe', me, (answer) => {
      answer.headers.delete('x-request-id')
      return answer
    })
    assert.ok(rules.every((rule) => rule === 'headers') && rules.length > 0, String(rules))
  })

  it("another company's data and a stranger's", async () => {
    await context.world.restore()
    const [, another] = context.world.companyIds
    // Generated resources may have made any two people members of one company: those are no strangers.
    const rows = await context.world.service.db.query<{ tax_id: string; name: string; email: string }>(
      `select tax_id, accounts.name, email from companies, accounts
       where companies.id = $1 and accounts.name ~ '^B ' and email like '%world.example.com'
         and not exists (
           select from memberships theirs join memberships mine using (company_id)
           join accounts me on me.id = mine.account_id
           where theirs.account_id = accounts.id and me.name like $2 || ' %')
         and not exists (select from invitations where invitations.email = accounts.email)`,
      [another, me.caller],
    )
    const { tax_id, name, email } = rows[0] as { tax_id: string; name: string; email: string }
    for (const message of [tax_id, name, email])
      assert.deepEqual(await rulesBroken('getMe', me, (answer) => withBody(answer, { message })), ['no leak'])
  })

  it('no address that the company has invited, though its account has another one now', () => {
    const { world } = context
    const [company, another] = world.companyIds as [string, string]
    const accountId = newId()
    const text = world.canaries.create({ accountId })
    const operation = world.document.operations.find(({ id }) => id === 'listInvitations') as Operation
    const caller = world.callers.find(({ name }) => name === 'A Owner') as Request['caller']
    const shown = (companyId: string) => {
      const state = { ...world.state, invited: [{ companyId, email: `${text}@example.com` }] }
      const request = { caller, operation, path: '', headers: [], body: undefined } as unknown as Request
      return leaks(world, request, { text, status: 200, headers: new Map() } as HttpAnswer, state, state)
    }
    assert.deepEqual(shown(company), [])
    assert.equal(shown(another).length, 1)
  })

  it('a deleted company in a list', async () => {
    const deleted = context.world.companyIds.at(-2)
    const rules = await rulesBroken('listCompanies', me, (answer) => {
      const [company] = JSON.parse(answer.text).data
      return withBody(answer, { data: [{ ...company, id: deleted }] })
    })
    assert.deepEqual(rules, ['a deleted company is hidden'])
  })

  it('a current ETag that is refused as outdated', async () => {
    const conditional = { caller: 'A Second Member', params: {}, headers: { 'If-None-Match': CURRENT_ETAG } }
    const [company] = context.world.companyIds as [string]
    const plan = { ...conditional, params: { id: company } }
    assert.deepEqual(await rulesBroken('getCompany', plan, unchanged), [])
    const sentAgain = (answer: HttpAnswer) => ({ ...answer, status: answer.status === 304 ? 200 : answer.status })
    const rules = await rulesBroken('getCompany', plan, sentAgain)
    assert.ok(rules.includes('the current ETag matches'), String(rules))
  })

  it('a repeated request that has an effect, and one with another answer', async () => {
    const plan = {
      caller: 'A Second Owner',
      body: { name: 'Once' },
      headers: { 'Idempotency-Key': 'mine' },
      again: true,
    }
    assert.deepEqual(await rulesBroken('createBranch', plan, unchanged), [])
    const withoutReplay = async (answer: HttpAnswer) => {
      await context.world.service.db.query('update branches set updated_at = clock_timestamp()')
      answer.headers.delete('idempotent-replayed')
      return answer
    }
    assert.deepEqual(await rulesBroken('createBranch', plan, withoutReplay), ['one idempotency key has one effect'])
    let answers = 0
    const withAnotherBody = (answer: HttpAnswer) => withBody(answer, { message: `Answer ${++answers}` })
    assert.deepEqual(await rulesBroken('createBranch', plan, withAnotherBody), ['one idempotency key has one effect'])
  })

  it('a session cookie that goes to a foreign page, or whose token is in the answer, too', async () => {
    const body = { refreshToken: new Placeholder('refreshToken', 1) }
    const plan = { caller: 'anonymous', body, headers: { 'x-session': 'cookie' } }
    const cookies: (string | undefined)[] = []
    const remembered = (answer: HttpAnswer) => {
      cookies.push(tokenInCookie(answer.headers))
      return answer
    }
    assert.deepEqual(await rulesBroken('refreshTokens', plan, remembered), [])
    assert.match(cookies[0] ?? '', /^[\w-]+\.[\w-]+\.[\w-]+$/)
    const told = (answer: HttpAnswer) => withBody(answer, { message: tokenInCookie(answer.headers) })
    assert.deepEqual(await rulesBroken('refreshTokens', plan, told), ['session cookie'])
    const setAnyway = (answer: HttpAnswer) => ({
      ...answer,
      headers: new Map(answer.headers).set('set-cookie', [`__Host-tenantry_refresh_token=${cookies[0]}; Path=/`]),
    })
    assert.deepEqual(await rulesBroken('getMe', me, setAnyway), ['session cookie'])
  })

  it('an audit log that was tampered with', async () => {
    const rules = await rulesBroken('getHealth', {}, async (answer) => {
      await context.world.service.db.query(`
        set session_replication_role = replica;
        update audit_records set target_label = 'Another person' where seq = 2;
        set session_replication_role = origin`)
      return answer
    })
    assert.ok(rules.includes('the audit log verifies'), String(rules))
  })

  it('internals in a refusal', async () => {
    const change = { message: 'insert into accounts (id) values ($1) - duplicate key' }
    const rules = await rulesBroken('listMembers', { ...me, caller: 'anonymous' }, (answer) => withBody(answer, change))
    assert.deepEqual(rules, ['internals'])
  })

  it('a success without a permission', async () => {
    const served = (answer: HttpAnswer) => ({ ...answer, status: 200 })
    for (const caller of ['anonymous', 'expired', 'A Signed Out', 'A Inactive']) {
      const rules = await rulesBroken('listMembers', { ...me, caller }, served)
      assert.ok(rules.includes('success needs a permission'), `${caller}: ${rules}`)
    }
  })

  it('a success without a proof, behind the policy of a company, or with a sign-in that is not finished', async () => {
    const served = (answer: HttpAnswer) => ({ ...answer, status: 200 })
    const cases: [operation: string, caller: string][] = [
      ['createRecoveryCodes', 'A Unproved'],
      ['updatePolicy', 'A Unproved'],
      ['listMembers', 'G Shut'],
      ['getCompany', 'G Unproved'],
      ['getMe', 'A Pending'],
    ]
    for (const [operation, caller] of cases) {
      const { companyId } = context.world.callers.find(({ name }) => name === caller) as Caller
      const rules = await rulesBroken(operation, { caller, query: {}, params: { id: companyId } }, served)
      assert.ok(rules.includes('success needs a permission'), `${operation} as ${caller}: ${rules}`)
    }
  })

  it('a membership and a permission that no request granted', async () => {
    const [company] = context.world.companyIds
    const plant = (text: string) => async (answer: HttpAnswer) => {
      await context.world.service.db.query(text)
      return answer
    }
    const joins = `
      insert into memberships (company_id, account_id) select '${company}', id from accounts where name like 'Loner%';
      insert into membership_roles (company_id, account_id, role_id) select '${company}', accounts.id, roles.id
        from accounts, roles where accounts.name like 'Loner%' and company_id = '${company}' and system_key = 'owner'`
    const rules = await rulesBroken('revokeOtherSessions', me, plant(joins))
    assert.deepEqual(rules, ['only held permissions are granted', 'a new membership needs users:create'])
  })

  it('a broken invariant', async () => {
    const rules = await rulesBroken('getHealth', {}, async (answer) => {
      await context.world.service.db.query(`
        set session_replication_role = replica;
        delete from membership_roles where company_id = '${context.world.companyIds[0]}';
        set session_replication_role = origin`)
      return answer
    })
    for (const name of [
      'every company that is not deleted has an active owner who has opened it',
      'every member has a role',
    ])
      assert.ok(rules.includes(`invariant: ${name}`), String(rules))
  })

  it('inconsistent data of a company', async () => {
    const breaks: Record<string, string> = {
      'branches are trees of at most eight levels, each in one company':
        'update branches set parent_id = id where parent_id is not null',
      'members belong to branches of their own company':
        'delete from branches where id in (select branch_id from membership_branches)',
      'holders of roles are counted': 'update role_counters set members = members + 1',
      'opened companies are counted': 'update accounts set opened_companies = opened_companies + 1',
      'after a password was shown, unopened memberships await verification, except in the managing company': `
        update memberships set awaits_verification = false where awaits_verification`,
      'an ownership offer can be accepted unless it has expired':
        'update ownership_offers set to_id = from_id, from_id = to_id',
      'a pending request to join is for the verified address of an account that is no member':
        'update join_requests set email = upper(email)',
      'the audit log says how each member came into the company': `delete from audit_records where action = 'users.add'`,
      'no pending invitation is to the address of a member': `
        update invitations set email = (
          select email from memberships where memberships.company_id = invitations.company_id limit 1)
        where id = (select id from invitations where status = 'pending' limit 1)`,
      'an accepted invitation has its record, or one that says how its account came into the company': `
        update invitations set status = 'accepted', finished_at = now()
        where id = (select id from invitations where status = 'pending' limit 1)`,
      'a pending invitation gives a role': 'delete from invitation_roles',
      'no member is a former member':
        'insert into former_members (company_id, account_id) select company_id, account_id from memberships limit 1',
      "a company's slug is reserved for it": 'delete from slugs',
      'no account has an address that another one can restore': `
        update accounts set email = (select email from email_change_undos where is_reserved limit 1)
        where id = (select id from accounts where id not in (select account_id from email_change_undos) limit 1)`,
      'no idempotency key is left without a stored response': `
        insert into idempotent_requests (id, fingerprint, claimed_until) values ('a', 'b', now())`,
      'role_counters have their company': 'update role_counters set company_id = gen_random_uuid()',
      'sealed records are consecutive, from the start of the chain to its head': `
        delete from audit_records where seq = 2`,
    }
    for (const [name, query] of Object.entries(breaks)) {
      const rules = await rulesBroken('getHealth', {}, async (answer) => {
        const { db } = context.world.service
        await db.query(`set session_replication_role = replica; ${query}; set session_replication_role = origin`)
        return answer
      })
      assert.ok(rules.includes(`invariant: ${name}`), `${name}: ${rules}`)
    }
  })

  it('a secret and an error in the log', async () => {
    const rules = await rulesBroken('getHealth', {}, (answer) => {
      const token = context.world.callers[0]?.accessToken
      context.world.service.app.log.info({ token }, 'a token')
      context.world.service.app.log.error('a failure')
      return answer
    })
    assert.deepEqual(rules, ['no error in the log', 'no secret in the log'])
  })
})

describe('a finding', () => {
  it('is reproduced by its seed, with the fewest requests that cause it', async () => {
    const broken = changingAnswers((answer, { body }) =>
      /José/.test(body?.toString() ?? '') ? { ...answer, status: 418 } : answer,
    )
    const [one] = await fuzz(broken, { seed: SEED, batches: 12, findingsMax: 1 })
    if (!one) assert.fail('not found')
    const again = await fuzz(broken, { seed: SEED, batch: one.batch, path: one.path })
    assert.equal(again.length, 1)
    assert.equal(again[0]?.finding.rule, 'status')
    assert.equal(again[0]?.finding.operation, one.finding.operation)
    assert.match(describeFinding(one), new RegExp(`--seed ${SEED} --batch ${one.batch} --path ${one.path}`))
    assert.deepEqual(await fuzz(context, { seed: SEED, batch: one.batch, path: one.path }), [])
  })
})
