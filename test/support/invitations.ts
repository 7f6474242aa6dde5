import assert from 'node:assert/strict'
import type { TestApp } from './app.ts'
import { rolesOf } from './members.ts'
import { anyEmail, PASSWORD, type Person } from './people.ts'

export interface Invited {
  id: string
  email: string
  /** Below `/api`. */
  path: string
}

interface Details {
  email?: string
  /** By their names. */
  roles?: string[]
  name?: string
  locale?: string
  branchIds?: string[]
  expiresInDays?: number
}

export async function sendInvitation(by: Person, { roles, ...details }: Details = {}) {
  const all = roles ? await rolesOf(by) : {}
  const body = { email: anyEmail(), ...details, ...(roles && { roleIds: roles.map((role) => all[role]) }) }
  return by.api.post('/companies/invitations', body)
}

export async function invite(by: Person, details: Details = {}): Promise<Invited> {
  const answer = await sendInvitation(by, details)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  const { id, email } = answer.body.data
  return { id, email, path: `/companies/invitations/${id}` }
}

/** The token in the newest invitation to an address. */
export const invitationToken = ({ mailbox }: Pick<TestApp, 'mailbox'>, { email }: { email: string }) =>
  mailbox.token(email, 'invitation')

/** A link by which anyone joins who has its token. `path`: its address in the API. */
export async function createInvitationLink(
  by: Person,
  body: object = {},
): Promise<{ id: string; path: string; token: string }> {
  const answer = await by.api.post('/companies/invitation-links', body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  const { id, token } = answer.body.data
  return { id, token, path: `/companies/invitation-links/${id}` }
}
export const joinByLink = (person: Person, token: string) => person.api.post('/auth/invitation-links/join', { token })

export const accept = (person: Person, token: string) => person.api.post('/auth/invitations/accept', { token })

export const registerInvited = ({ client }: Pick<TestApp, 'client'>, token: string, more: object = {}) =>
  client.post('/auth/invitations/register', { token, name: 'New Person', password: PASSWORD, ...more })
