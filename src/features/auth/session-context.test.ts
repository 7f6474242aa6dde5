import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { createRole, join, link, rolesOf } from '../../../test/support/members.ts'
import { PASSWORD, type Person, signUp } from '../../../test/support/people.ts'
import { anyText } from '../../../test/support/texts.ts'
import { permissions as catalogue } from '../../access/permissions.ts'

const service = await useTestApp()
const some = <Item>(items: readonly Item[]): Item[] => items.filter(() => randomInt(3) === 0)

async function userFrom(id: string): Promise<Record<string, unknown>> {
  const [{ pending_email, created_at, ...user } = assert.fail('no account')] = await service.db.query<UserRow>(
    `select id, email, name, phone, avatar_url, position, document_type, document_number, timezone, locale,
      email_verified_at is not null as email_verified, false as must_change_password,
      has_second_factor as second_factor, created_at, pending_email
     from accounts where id = $1`,
    [id],
  )
  return { ...user, created_at: created_at.toISOString(), ...(pending_email !== null && { pending_email }) }
}

interface UserRow extends Record<string, unknown> {
  pending_email: string | null
  created_at: Date
}

/** The same from plain rows. */
async function expectedFor({ id }: Person) {
  const rows = await service.db.query<{ id: string; name: string; slug: string; status: string; opened: boolean }>(
    `select companies.id, companies.name, slug,
       case when suspended_at is null then 'active' else 'suspended' end as status, opened_at is not null as opened
     from memberships join companies on companies.id = company_id
     where account_id = $1 and status = 'active' and not awaits_verification and deleted_at is null
     order by opened_at is null, memberships.created_at, company_id`,
    [id],
  )
  const companies = rows.map(({ opened, ...company }) => company)
  const companyPermissions: Record<string, string[]> = {}
  const companyRoles: Record<string, string[]> = {}
  for (const company of companies) {
    const roles = await service.db.query<{ name: string; permissions: string[] }>(
      `select name, permissions from membership_roles join roles on roles.id = role_id
       where membership_roles.company_id = $1 and account_id = $2 order by name`,
      [company.id, id],
    )
    companyPermissions[company.id] = [...new Set(roles.flatMap(({ permissions }) => permissions))].sort()
    companyRoles[company.id] = [...new Set(roles.map(({ name }) => name))]
  }
  const companyAccess = Object.fromEntries(companies.map(({ id }) => [id, 'open']))
  const unopenedCompanies = rows.filter(({ opened }) => !opened).map(({ id }) => id)
  const user = await userFrom(id)
  return { user, tenants: companies, companyPermissions, companyRoles, companyAccess, unopenedCompanies }
}

const me = async ({ api }: Person) => (await api.get('/auth/me')).body.data

it('has every company with the roles there and what they give together, whatever the names are', async () => {
  const ann = await signUp(service.client)
  for (let i = 0; i < 12; i++) {
    const owner = await signUp(service.client)
    for (let role = 0; role < 4; role++) await createRole(owner, `Role ${role}`, some(catalogue))
    const names = some(Object.keys(await rolesOf(owner)).filter((name) => name !== 'Owner'))
    await (i % 3 === 0 ? link(owner, ann, names) : join(owner, ann, names))
    await service.db.query(
      `delete from membership_roles where company_id = $1 and account_id = $2 and not $3::boolean`,
      [owner.company.id, ann.id, names.length > 0],
    )
    await service.db.query(`update companies set name = $2 where id = $1`, [owner.company.id, anyText()])
    await service.db.query(`update roles set name = name || $2 where company_id = $1 and system_key is null`, [
      owner.company.id,
      anyText(),
    ])
  }
  assert.equal(JSON.stringify(await me(ann)), JSON.stringify(await expectedFor(ann)))
})

it('has each text of the account as it was stored, and the pending address only while there is one', async () => {
  const ann = await signUp(service.client)
  const texts = ['name', 'phone', 'avatar_url', 'position', 'document_type', 'document_number', 'timezone', 'locale']
  for (let i = 0; i < 20; i++) {
    const pending = i % 2 === 0 ? `${randomUUID()}@example.com` : null
    const set = texts.map((column, index) => `${column} = $${index + 3}`).join(', ')
    await service.db.query(`update accounts set pending_email = $2, ${set} where id = $1`, [
      ann.id,
      pending,
      ...texts.map(() => anyText()),
    ])
    const expected = await expectedFor(ann)
    assert.equal(JSON.stringify(await me(ann)), JSON.stringify(expected))
    const signedIn = await service.client.post('/auth/login', { email: ann.email, password: PASSWORD })
    assert.deepEqual(signedIn.body.data.user, expected.user)
  }
})
