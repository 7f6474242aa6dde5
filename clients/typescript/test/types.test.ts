import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CompanyScope, type Member, Problem, type Tenantry, type Versioned } from '@tenantry/client'

// What compiles is the test: `npm run check` compiles it, and each line that must not compile says so.

describe('a problem', () => {
  const problem: unknown = new Problem('validation_failed', { status: 400, details: [{ path: 'name', message: 'No' }] })

  it('has the fields of its code, and no others', () => {
    assert.ok(problem instanceof Problem && problem instanceof Error)
    if (problem.code === 'validation_failed') assert.deepEqual(problem.details, [{ path: 'name', message: 'No' }])
    // @ts-expect-error: only validation_failed has details.
    if (problem.code === 'last_owner') assert.ok(problem.details)
    // @ts-expect-error: there is no such code.
    assert.ok(problem.code !== 'last_owners')
    if (problem.code === 'permission_missing') problem.required satisfies string
  })

  it('says what it is', () => {
    assert.deepEqual(
      { ...new Problem('network_error') },
      { name: 'Problem', code: 'network_error', status: 0, requestId: undefined, retryAfter: undefined },
    )
    assert.match(String(new Problem('signed_out')), /^Problem: signed out$/)
  })
})

export async function companies(acme: CompanyScope): Promise<void> {
  acme.can('users:create')
  // @ts-expect-error: the catalogue has no such permission.
  acme.can('users:creat')

  const member: Versioned<Member> = await acme.members.get('id')
  await acme.members.update(member, { position: 'Cook' })
  // @ts-expect-error: an address is changed by its owner.
  await acme.members.update(member, { email: 'x@example.com' })
  for await (const item of acme.members.list({ sortBy: 'email' })) {
    item satisfies Member
    // @ts-expect-error: items of a list have no version.
    item.etag
  }
  // @ts-expect-error: members are not sorted by phone.
  await acme.members.page({ sortBy: 'phone' })
  // @ts-expect-error: a role has a name.
  await acme.roles.create({ permissions: [] })
  const { impact } = await acme.roles.update('id', { name: 'Cooks' }, { dryRun: true })
  impact satisfies object | undefined
}

export async function sessions(tenantry: Tenantry): Promise<void> {
  const state = tenantry.session.get()
  // @ts-expect-error: it may be unknown.
  state.account
  if (state.status === 'signed_in' && !state.mustChangePassword) state.account.email satisfies string
  // @ts-expect-error: after a reload the account is unknown until the password is changed.
  if (state.status === 'signed_in') state.account.email satisfies string
  // @ts-expect-error: where the refresh token is, the client decides.
  await tenantry.signIn({ email: '', password: '', sessionIn: 'cookie' })
}

export async function paths({ http }: Tenantry): Promise<void> {
  const { data, error } = await http.GET('/api/companies', { params: { query: { page: 2 } } })
  if (data) data.data satisfies { id: string }[]
  else error.code satisfies string
  // @ts-expect-error: there is no such path.
  await http.GET('/api/company')
  // @ts-expect-error: that path is not deleted.
  await http.DELETE('/api/companies')
  // @ts-expect-error: a company has a name.
  await http.POST('/api/companies', { body: {} })
  // @ts-expect-error: the path has an id.
  await http.GET('/api/companies/{id}')
  // @ts-expect-error: companies have no such order.
  await http.GET('/api/companies', { params: { query: { sortBy: 'phone' } } })
  const one = await http.DELETE('/api/companies/users/{userId}', { params: { path: { userId: 'id' } } })
  // @ts-expect-error: the code is not one of this operation.
  if (one.error?.code === 'slug_taken') one.response satisfies Response
}
