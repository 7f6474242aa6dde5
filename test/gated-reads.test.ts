import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it, mock } from 'node:test'
import { sql } from 'kysely'
import { permissions as allPermissions } from '../src/access/permissions.ts'
import type { CompanyAccess, Requirements } from '../src/access/requirements.ts'
import { companyGate } from '../src/access/sessions.ts'
import type { Gate } from '../src/database/gated-reads.ts'
import { Database } from '../src/database/open.ts'
import { asAccount, inCompany } from '../src/database/scopes.ts'
import { OpenApiDocument } from '../src/http/openapi/document.ts'
import type { AnyDeclaration } from '../src/http/route-definition.ts'
import { problem } from '../src/problems.ts'
import { useTestApp } from './support/app.ts'
import { createBranch } from './support/branches.ts'
import * as catalogue from './support/catalogue.ts'
import { confirmFactor } from './support/factors.ts'
import { addMember, createRole, emailedPassword, join, joinWith, link } from './support/members.ts'
import { anyEmail, type Person, signIn, signUp } from './support/people.ts'

// A read in a company travels with the statement that decides on access. It must answer exactly as if it had waited.

const declaring = mock.method(OpenApiDocument.prototype, 'add')
const service = await useTestApp()
const ann = await signUp(service.client)
const eve = await signUp(service.client)
const member = await addMember(ann)
const role = await createRole(ann, 'Seller')
const branch = await createBranch(ann)
await ann.api.post(`/companies/${ann.company.id}/ownership-transfer`, { userId: member.id })

const reads = declaring.mock.calls.flatMap(({ arguments: [method, url, declaration] }) =>
  method === 'GET' && typeof (declaration as AnyDeclaration).access === 'object' ? [url.slice('/api'.length)] : [],
)

/** Everything in an answer that is the same for two requests. */
const shown = ({ status, headers, body }: Awaited<ReturnType<Person['api']['get']>>) => ({
  status,
  headers: [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length', 'etag'].includes(name)),
  body,
})

/** Sends a request as if each statement waited for the decision on access. */
async function inTwoTrips<Result>(send: () => Promise<Result>): Promise<Result> {
  const { gatedReads } = Database.prototype
  const waiting = mock.method(Database.prototype, 'gatedReads', function (this: Database, gate: never) {
    const gated = gatedReads.call(this, gate)
    void gated.decided().catch(() => {})
    return gated
  })
  try {
    return await send()
  } finally {
    assert.ok(waiting.mock.callCount() <= 1)
    waiting.mock.restore()
  }
}

const set = (text: string, ...values: unknown[]) => service.db.query(text, values)

/** Each state that a caller can be in; what it may read, or why it is refused. */
const callers: Record<string, () => Promise<Person>> = {
  owner: async () => ann,
  'member with every permission but one': async () =>
    joinWith(ann, await signUp(service.client), ['roles:read', 'branches:read', 'permissions:read']),
  'member without a permission': async () => joinWith(ann, await signUp(service.client), []),
  'member of another company': async () => ({ ...eve, api: eve.api.with({ company: ann.company.id }) }),
  'inactive member': async () => {
    const person = await join(ann, await signUp(service.client))
    await ann.api.patch(`/companies/users/${person.id}`, { status: 'inactive' })
    return person
  },
  'member whose address awaits verification': async () => {
    const person = await link(ann, await signUp(service.client))
    await set('update memberships set awaits_verification = true, opened_at = null where account_id = $1', person.id)
    return person
  },
  'session with a temporary password': async () => {
    const { email } = await addMember(ann, { roles: ['Admin'] })
    const person = await signIn(service.client, email, await emailedPassword(service, email))
    return { ...person, api: person.api.with({ company: ann.company.id }) }
  },
  'revoked session': async () => {
    const person = await join(ann, await signUp(service.client), ['Admin'])
    await person.api.post('/auth/logout', { refreshToken: person.refreshToken })
    return person
  },
  'expired session': async () => {
    const person = await join(ann, await signUp(service.client), ['Admin'])
    await set('update sessions set expires_at = now() where id = $1', person.sessionId)
    return person
  },
  'owner of a deleted company': async () => {
    const person = await signUp(service.client)
    await person.api.delete(`/companies/${person.company.id}`)
    return person
  },
  'owner of a suspended company': async () => {
    const person = await signUp(service.client)
    await set('update companies set suspended_at = now() where id = $1', person.company.id)
    return person
  },
  'member who has not opened a suspended company': async () => {
    const owner = await signUp(service.client)
    const person = await link(owner, await signUp(service.client), ['Admin'])
    await set('update companies set suspended_at = now() where id = $1', owner.company.id)
    return person
  },
  'company that does not exist': async () => ({ ...ann, api: ann.api.with({ company: randomUUID() }) }),
  'malformed company': async () => ({ ...ann, api: ann.api.with({ company: 'acme' }) }),
  'without a company': async () => ({ ...ann, api: ann.api.with({ company: undefined }) }),
  'without a token': async () => ({ ...ann, api: ann.api.with({ token: undefined }) }),
  'token of another kind': async () => ({ ...ann, api: ann.api.with({ token: ann.refreshToken }) }),
}

const parameters: Record<string, string> = { userId: member.id, roleId: role.id, branchId: branch.id }

/** A request that is well-formed, one for something that is not there, and two that validation refuses. */
function requestsFor(url: string, companyId: string): string[] {
  const fill = (values: Record<string, string>) =>
    url.replace(/:(\w+)/g, (_, name) => (name === 'id' ? companyId : (values[name] as string)))
  const q = url.endsWith('/search') ? '?q=new' : url.endsWith('/explain') ? `?userId=${member.id}` : ''
  const unknown = Object.fromEntries(Object.keys(parameters).map((name) => [name, randomUUID()]))
  const malformed = Object.fromEntries(Object.keys(parameters).map((name) => [name, 'x']))
  const paths = [fill(parameters) + q, fill(unknown) + q, fill(malformed), `${fill(parameters)}?limit=0&q=x`]
  return [...new Set(paths)]
}

/** These change with each request: records of refusals, and the seals of records. */
const changing = /\/audit(\/verify|\/export)?(\?|$)/

describe('a read that travels with the access check', () => {
  it('covers the routes of companies', () => assert.ok(reads.length > 12, reads.join(' ')))

  for (const [state, callerIn] of Object.entries(callers))
    it(`answers like one that waits for it: ${state}`, async () => {
      const { api, company } = await callerIn()
      for (const url of reads)
        for (const path of requestsFor(url, company.id)) {
          const [one, two] = [await api.get(path), await inTwoTrips(() => api.get(path))].map(shown)
          if (one?.status === 200 && changing.test(path)) assert.equal(two?.status, 200, path)
          else assert.deepEqual(one, two, path)
        }
    })

  it('answers like one that waits for it when it opens the company', async () => {
    for (const url of reads) {
      const person = await link(ann, await signUp(service.client), ['Admin'])
      const [path] = requestsFor(url, ann.company.id) as [string]
      const first = await person.api.get(path)
      await set(
        'update memberships set opened_at = null where account_id = $1 and company_id = $2',
        person.id,
        ann.company.id,
      )
      const second = await inTwoTrips(() => person.api.get(path))
      assert.deepEqual([first.status, first.body.code], [second.status, second.body.code], path)
    }
  })
})

describe('the gate of a company', () => {
  it('keeps a read from writing, also through a function', async () => {
    const email = anyEmail()
    const call = `enqueue_email('${randomUUID()}', 'temporary_password', '${email}', 'x', 'en', '{}', null,
      now() + interval '1 hour', null, null, null, null, null)`
    for (const person of [ann, { ...eve, company: ann.company }]) {
      const { tx, refused } = gateFor(person)
      void sql.raw(`select ${call}`).execute(tx)
      await assert.rejects(refused, { code: '25006' })
    }
    assert.deepEqual(await set('select 1 from emails where recipient_email = $1', email), [])
  })

  it('leaves a read only the time that the gate has not used', async () => {
    const { tx } = gateFor(ann)
    const { rows } = await sql<{ left: string }>`select current_setting('statement_timeout') as left`.execute(tx)
    assert.match(rows[0]?.left ?? '', /^(1[0-7]\d\d|\d{3})ms$/)
  })

  it('never answers a read behind a refusal, so that nothing of a rule comes after it', async () => {
    const { tx, decided, refused } = gateFor(eve, async () => {
      throw problem('not_a_member')
    })
    let answers = 0
    const count = () => answers++
    void sql`select 1`.execute(tx).then(count, count)
    await assert.rejects(refused, { code: 'not_a_member' })
    void sql`select 1`.execute(tx).then(count, count)
    await assert.rejects(decided(), { code: 'not_a_member' })
    await service.db.query('select 1')
    assert.equal(answers, 0)
  })

  const tables = ['companies', 'accounts']

  const gateFor = (
    { id, sessionId, company }: Person,
    decide: Gate['decide'] = async () => ({ scope: inCompany(company.id, id), isEntered: true }),
  ) =>
    service.database.gatedReads({
      scope: asAccount(id),
      statement: companyGate({ accountId: id, sessionId, ip: '127.0.0.1' }, company.id, {
        access: { company: 'users:read' },
      }),
      decide,
    })

  /** What the statements behind the gate find, although the decision lets them pass in any case. */
  async function behindGate(person: Person, text: string): Promise<number | 'refused'> {
    const { tx } = gateFor(person)
    return sql
      .raw(text)
      .execute(tx)
      .then(
        ({ rows }) => rows.length,
        (error) => (catalogue.codeOf(error) === '42501' ? 'refused' : Promise.reject(error)),
      )
  }

  it('shows a caller with access the rows of the company', async () => {
    assert.equal(await behindGate(ann, 'select id from companies'), 1)
    assert.equal(
      await behindGate(ann, 'select account_id from memberships'),
      Number((await ann.api.get('/companies/users')).body.total),
    )
  })

  it('keeps every row of every table from a caller without access', async () => {
    const closed = Object.entries(callers).filter(([state]) =>
      /^(member |inactive|session|revoked|expired|owner of)/.test(state),
    )
    const all = [
      ...tables,
      ...(await catalogue.tablesOfCompanies(service.db)),
      ...(await catalogue.viewsOfCompanies(service.db)),
    ]
    for (const [state, callerIn] of closed) {
      const person = await callerIn()
      const company = /deleted|suspended/.test(state) ? person.company : ann.company
      for (const table of all)
        assert.ok(
          [0, 'refused'].includes(await behindGate({ ...person, company }, `select 1 from ${table}`)),
          `${state}: ${table}`,
        )
    }
  })

  it('keeps the functions of company routes from giving a caller without access a row', async () => {
    const person = await joinWith(ann, await signUp(service.client), ['roles:read'])
    for (const call of [
      `search_accounts('%a%', '${eve.email}', 20)`,
      `find_member_companies('${ann.id}')`,
      `find_members(null, null, null, null, 'name', false, 20, 0) where total > 0`,
      'find_audit_records(null, null, null, null, null, null, null, null, null, 20)',
      `password_reset_authority('${ann.id}')`,
    ])
      assert.equal(await behindGate({ ...person, company: ann.company }, `select 1 from ${call}`), 0, call)
  })

  it('is as closed as the access check for every permission', async () => {
    const person = await joinWith(ann, await signUp(service.client), ['roles:read'])
    for (const each of allPermissions) {
      assert.equal(await isOpenTo(person, { access: { company: each } }), each === 'roles:read', each)
    }
  })

  it('is closed to members where only owners may read, and to stale sessions where a fresh one is asked for', async () => {
    const access = { company: 'membership' } as const
    const member = await joinWith(ann, await signUp(service.client), ['roles:read'])
    assert.deepEqual(
      [await isOpenTo(ann, { access, ownerOnly: true }), await isOpenTo(member, { access, ownerOnly: true })],
      [true, false],
    )
    const fresh = { minutes: 10 }
    assert.equal(await isOpenTo(member, { access, fresh }), true)
    await service.db.query(
      `update sessions set authenticated_at = now() - interval '10 minutes' where id = '${member.sessionId}'`,
    )
    assert.equal(await isOpenTo(member, { access, fresh }), false)
    assert.equal(await isOpenTo(member, { access, fresh: { ...fresh, onlyWithFactor: true } }), true)
    await confirmFactor(service.db, member.id)
    assert.equal(await isOpenTo(member, { access, fresh: { ...fresh, onlyWithFactor: true } }), false)
    await service.db.query(`update sessions set second_factor_at = now() where id = '${member.sessionId}'`)
    assert.equal(await isOpenTo(member, { access, fresh: { ...fresh, onlyWithFactor: true } }), true)
    assert.equal(await isOpenTo(member, { access, fresh }), true)
  })

  async function isOpenTo({ id, sessionId }: Person, requirements: Requirements<CompanyAccess>): Promise<unknown> {
    let isOpen: unknown
    const { decided } = service.database.gatedReads({
      scope: asAccount(id),
      statement: companyGate({ accountId: id, sessionId, ip: '127.0.0.1' }, ann.company.id, requirements),
      decide: async (row) => {
        isOpen = (row as { is_open: boolean }).is_open
        return { scope: inCompany(ann.company.id, id), isEntered: true }
      },
    })
    await decided()
    return isOpen
  }
})
