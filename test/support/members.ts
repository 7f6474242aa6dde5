import assert from 'node:assert/strict'
import { anyEmail, type Person } from './people.ts'

export interface Added {
  id: string
  email: string
}

/** Adds somebody new to the company of `by`. */
export async function addMember(by: Person, { name = 'Somebody New', roles = ['Member'] } = {}): Promise<Added> {
  const all = await rolesOf(by)
  const body = { name, email: anyEmail(), roleIds: roles.map((role) => all[role]) }
  const answer = await by.api.post('/companies/users', body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return { id: answer.body.data.id, email: answer.body.data.email }
}

/** Links somebody who has signed up to the company of `by`, and has them come in; the answer speaks for them there. */
export async function join(by: Person, person: Person, roles: string[] = ['Member']): Promise<Person> {
  const member = await link(by, person, roles)
  assert.equal((await member.api.get(`/companies/${by.company.id}`)).status, 200)
  return member
}

/** Links somebody who has signed up to the company of `by`, and no more: the account has not opened the company yet. */
export async function link(by: Person, person: Person, roles: string[] = ['Member']): Promise<Person> {
  const answer = await by.api.post(`/companies/${by.company.id}/members`, { userId: person.id, roleNames: roles })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return { ...person, company: by.company, api: person.api.with({ company: by.company.id }) }
}

/** The ids of the company's roles, by name. */
export async function rolesOf({ api }: Person): Promise<Record<string, string>> {
  const { body } = await api.get('/companies/roles?limit=100')
  return Object.fromEntries(body.data.map(({ id, name }: { id: string; name: string }) => [name, id]))
}

export interface OwnRole {
  id: string
  path: string
}

/** Makes a role in the company of `by`; its path is below `/api`. */
export async function createRole(by: Person, name: string, permissions: string[] = []): Promise<OwnRole> {
  const answer = await by.api.post('/companies/roles', { name, permissions })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return { id: answer.body.data.id, path: `/companies/roles/${answer.body.data.id}` }
}

/** Links somebody who has signed up, with a role of their own that gives these permissions and no others. */
export async function joinWith(by: Person, person: Person, permissions: string[]): Promise<Person> {
  const name = `Role of ${person.id}`
  await createRole(by, name, permissions)
  return join(by, person, [name])
}
