import assert from 'node:assert/strict'
import type { EmailKind } from '../../src/features/mail/outbox/emails.ts'
import type { TestApp } from './app.ts'
import { anyEmail, PASSWORD, type Person, signIn } from './people.ts'

/** A new account that the company manages. */
export interface AddedMember {
  id: string
  email: string
}

/** Adds a person without an account to the company of `by`, which manages the new account. */
export async function addMember(by: Person, { name = 'New Member', roles = ['Member'] } = {}): Promise<AddedMember> {
  const all = await rolesOf(by)
  const body = { name, email: anyEmail(), roleIds: roles.map((role) => all[role]) }
  const answer = await by.api.post('/companies/users', body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return { id: answer.body.data.id, email: answer.body.data.email }
}

/** Links a signed-up person to the company of `by` and opens it; the result sends requests in this company. */
export async function join(by: Person, person: Person, roles: string[] = ['Member']): Promise<Person> {
  const member = await link(by, person, roles)
  assert.equal((await member.api.get(`/companies/${by.company.id}`)).status, 200)
  return member
}

/** Links a signed-up person to the company of `by`, which the account does not open yet. */
export async function link(by: Person, person: Person, roles: string[] = ['Member']): Promise<Person> {
  const answer = await by.api.post(`/companies/${by.company.id}/members`, { userId: person.id, roleNames: roles })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return { ...person, company: by.company, api: person.api.with({ company: by.company.id }) }
}

/** Adds a managed member who chooses a password and signs in; the account does not open the company yet. */
export async function addManagedMember(service: TestApp, by: Person): Promise<Person> {
  const { email } = await addMember(by)
  return signInWithEmailedPassword(service, email)
}

/** Exchanges the newest temporary password that was emailed for a chosen one, and signs in with that. */
export async function signInWithEmailedPassword(service: TestApp, email: string): Promise<Person> {
  const currentPassword = await emailedPassword(service, email)
  const limited = await signIn(service.client, email, currentPassword)
  const change = { currentPassword, newPassword: PASSWORD }
  assert.equal((await limited.api.post('/auth/change-temporary-password', change)).status, 200)
  return signIn(service.client, email)
}

/** The temporary password in the newest email that carries one. */
export async function emailedPassword(
  { mailbox }: Pick<TestApp, 'mailbox'>,
  address: string,
  kinds: EmailKind[] = ['temporary_password', 'password_reset'],
): Promise<string> {
  const emails = (await mailbox.to(address)).filter(({ kind }) => kinds.includes(kind))
  return /^\w{16}$/m.exec(emails.at(-1)?.text ?? '')?.[0] ?? assert.fail(`no password was emailed to ${address}`)
}

/** Verifies the address: follows the emailed link that resets the password, and signs in. */
export async function recoverAccount({ client, mailbox }: TestApp, { email }: { email: string }): Promise<Person> {
  await client.post('/auth/forgot-password', { email })
  const token = await mailbox.token(email, 'reset_password')
  assert.equal((await client.post('/auth/reset-password', { token, newPassword: PASSWORD })).status, 200)
  return signIn(client, email)
}

/** The ids of the company's roles, by name. */
export async function rolesOf({ api }: Person): Promise<Record<string, string>> {
  const { body } = await api.get('/companies/roles?limit=100')
  return Object.fromEntries(body.data.map(({ id, name }: { id: string; name: string }) => [name, id]))
}

export interface CustomRole {
  id: string
  path: string
}

/** Creates a role in the company of `by`; its path is below `/api`. */
export async function createRole(by: Person, name: string, permissions: string[] = []): Promise<CustomRole> {
  const answer = await by.api.post('/companies/roles', { name, permissions })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return { id: answer.body.data.id, path: `/companies/roles/${answer.body.data.id}` }
}

/** Links a signed-up person with a new role that grants exactly these permissions. */
export async function joinWith(by: Person, person: Person, permissions: string[]): Promise<Person> {
  const name = `Role of ${person.id}`
  await createRole(by, name, permissions)
  return join(by, person, [name])
}
