import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addManagedMember } from '../../../test/support/members.ts'
import { type Person, signUp } from '../../../test/support/people.ts'

const ROUNDS = 15
const AT_ONCE = 14
const service = await useTestApp({ EMAILS_PER_HOUR: '0' })
const owners = await Promise.all([1, 2, 3].map(() => signUp(service.client)))
const [home] = owners as [Person, ...Person[]]

const outdatedCopies = () =>
  service.db.query(`
    select copy.company_id, copy.account_id, to_jsonb(copy) as copy
    from memberships copy join accounts on accounts.id = copy.account_id
    cross join lateral (
      select copy.opened_at is not null as is_opened,
        copy.created_account and coalesce(copy.opened_at > accounts.reset_by_link_at, accounts.reset_by_link_at is null) as is_held
    ) state
    cross join lateral (select is_opened and (is_held or not copy.created_account) as is_shown) shown
    where (copy.name, copy.name_folded, copy.email, copy.search)
        is distinct from (accounts.name, accounts.name_folded, accounts.email, accounts.name_folded || ' ' || accounts.email)
      or copy.account_phone <> case when is_shown then accounts.phone else '' end
      or copy.account_position <> case when is_shown then accounts.position else '' end
      or copy.avatar_url is distinct from case when is_shown then accounts.avatar_url end
      or copy.must_change_password <> (accounts.must_change_password and (is_shown or is_held))
      or copy.managed <> (is_held and accounts.opened_companies = is_opened::integer)
      or copy.password_shown <> (accounts.password_shown_at is not null and (is_shown or is_held))
      or accounts.opened_companies <> (
        select count(*) from memberships other where other.account_id = accounts.id and other.opened_at is not null)`)

const oneOf = <Item>(list: readonly Item[]): Item => list[Math.floor(Math.random() * list.length)] as Item
const anyText = () => String(Math.random()).slice(2, 10)

/** What changes an account or its memberships, by the person or by the owner of a company. */
const changes: ((person: Person, owner: Person) => Promise<unknown>)[] = [
  ({ api }) => api.put('/auth/profile', { name: `Name ${anyText()}`, phone: anyText() }),
  ({ api }) => api.put('/auth/profile', { position: anyText(), avatar_url: `https://example.com/${anyText()}` }),
  ({ api }, { company }) => api.with({ company: company.id }).get(`/companies/${company.id}`),
  ({ id }, { api, company }) => api.post(`/companies/${company.id}/members`, { userId: id }),
  ({ id }, { api }) => api.delete(`/companies/users/${id}`),
  ({ id }, { api }) => api.patch(`/companies/users/${id}`, { phone: anyText(), status: oneOf(['active', 'inactive']) }),
]

it('a membership’s copies of its account stay exact while both change at once', async () => {
  const people = [await addManagedMember(service, home), await addManagedMember(service, home)]
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => oneOf(changes)(oneOf(people), oneOf(owners))))
    assert.deepEqual(await outdatedCopies(), [])
  }
})
