import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addManagedMember, link } from '../../../test/support/members.ts'
import { type Person, signUp } from '../../../test/support/people.ts'

const service = await useTestApp({ EMAILS_PER_HOUR: '0' })
const owners = await Promise.all([1, 2, 3].map(() => signUp(service.client)))
const [home] = owners as [Person]
const users = '/companies/users'

const wrong = () =>
  service.db.query(`
    select m.company_id, m.account_id, to_jsonb(m) as m from memberships m join accounts a on a.id = m.account_id
    where (m.name, m.name_folded, m.email, m.search) is distinct from (a.name, a.name_folded, a.email, a.name_folded || ' ' || a.email)
      or m.account_phone <> case when m.opened_at is not null then a.phone else '' end
      or m.account_position <> case when m.opened_at is not null then a.position else '' end
      or m.avatar_url is distinct from case when m.opened_at is not null then a.avatar_url end
      or m.must_change_password <> (a.must_change_password and (m.opened_at is not null or m.created_account))
      or m.managed <> (m.created_account and a.opened_companies = (m.opened_at is not null)::integer)
      or m.password_shown <> (m.created_account and a.password_shown_at is not null)
      or a.opened_companies <> (select count(*) from memberships o where o.account_id = a.id and o.opened_at is not null)`)

it('copies stay right under concurrent changes', async () => {
  const statuses = new Map<string, number>()
  const people = [await addManagedMember(service, home), await addManagedMember(service, home)]
  const ops: ((p: Person, by: Person) => Promise<{ status: number; body: { code?: string } }>)[] = [
    (p) => p.api.put('/auth/profile', { phone: String(Math.floor(Math.random() * 1e6)), name: `N ${Math.random()}` }),
    (p) =>
      p.api.put('/auth/profile', { position: `P ${Math.random()}`, avatar_url: `https://x.example/${Math.random()}` }),
    (p, by) => p.api.with({ company: by.company.id }).get(`/companies/${by.company.id}`),
    (p, by) => by.api.post(`/companies/${by.company.id}/members`, { userId: p.id }),
    (p, by) => by.api.delete(`${users}/${p.id}`),
    (p, by) =>
      by.api.patch(`${users}/${p.id}`, {
        phone: String(Math.random()).slice(0, 8),
        status: Math.random() < 0.8 ? 'active' : 'inactive',
      }),
    (p) => p.api.with({ company: home.company.id }).get(`/companies/${home.company.id}`),
  ]
  const pick = <T>(list: T[]) => list[Math.floor(Math.random() * list.length)] as T
  for (let round = 0; round < 40; round++) {
    await Promise.all(
      Array.from({ length: 14 }, async () => {
        const op = pick(ops)
        const by = pick(owners.slice(Math.random() < 0.15 ? 0 : 1))
        const { status, body } = await op(pick(people), by)
        const key = `${ops.indexOf(op)} ${status} ${body?.code ?? ''}`
        statuses.set(key, (statuses.get(key) ?? 0) + 1)
      }),
    )
    assert.deepEqual(await wrong(), [])
  }
  console.error([...statuses].sort().join('\n'))
})
