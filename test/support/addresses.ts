import assert from 'node:assert/strict'
import type { TestApp } from './app.ts'
import { anyEmail, type Person } from './people.ts'

/** By the link in the email to the new address. The address before stays reserved for a week. */
export async function changeAddress(
  { client, mailbox }: TestApp,
  { api }: Pick<Person, 'api'>,
  email = anyEmail(),
): Promise<string> {
  assert.equal((await api.put('/auth/profile', { email })).status, 200)
  const token = await mailbox.token(email, 'change_email')
  assert.equal((await client.post('/auth/verify-email', { token })).status, 200)
  return email
}

/** Lets the week pass in which no other account can have an address of before. */
export async function freeFormerAddresses({ db }: TestApp, { id }: Pick<Person, 'id'>): Promise<void> {
  await db.query(`update email_change_undos set expires_at = expires_at - interval '8 days' where account_id = $1`, [
    id,
  ])
}
