import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTestApp, useTestApp } from '../../../test/support/app.ts'
import { anyEmail, PASSWORD, signIn, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()

it('starts without accounts and companies in a fresh installation', async () => {
  const fresh = await startTestApp()
  try {
    for (const table of ['accounts', 'passwords', 'companies', 'memberships'])
      assert.deepEqual(await fresh.db.query(`select from ${table}`), [], table)
  } finally {
    await fresh.close()
  }
})

it('records every sign-in and sign-out, and every change of credentials', async () => {
  const ann = await signUp(service.client)
  const newEmail = anyEmail()
  await service.client.post('/auth/login', { email: ann.email, password: 'Wrong-horse-7' })
  const phone = await signIn(service.client, ann.email)
  await phone.api.post('/auth/logout', { refreshToken: phone.refreshToken })
  const tablet = await signIn(service.client, ann.email)
  await ann.api.delete(`/auth/sessions/${tablet.sessionId}`)
  await ann.api.delete('/auth/sessions')
  await ann.api.post('/auth/change-password', { currentPassword: 'Wrong-horse-7', newPassword: 'Another-horse-8' })
  await ann.api.post('/auth/change-password', { currentPassword: PASSWORD, newPassword: 'Another-horse-8' })
  await ann.api.put('/auth/profile', { email: newEmail })
  await ann.api.post('/auth/profile/email/resend')
  const verify = await service.mailbox.token(newEmail, 'change_email')
  await service.client.post('/auth/verify-email', { token: verify })
  await service.client.post('/auth/verify-email', { token: verify })
  await service.client.post('/auth/forgot-password', { email: newEmail })
  const reset = await service.mailbox.token(newEmail, 'reset_password')
  await service.client.post('/auth/reset-password', { token: reset, newPassword: 'Third-horse-9' })

  const records = await service.db.query(
    `select action, outcome, ip::text, request_id <> '' as followable from audit_records
     where company_id is null order by id`,
  )
  assert.deepEqual(
    records.map(({ action, outcome }) => [action, outcome]),
    [
      ['accounts.register', 'done'],
      ['sessions.create', 'credentials_wrong'],
      ['sessions.create', 'done'],
      ['sessions.sign_out', 'done'],
      ['sessions.create', 'done'],
      ['sessions.revoke', 'done'],
      ['sessions.revoke_others', 'done'],
      ['passwords.change', 'current_password_wrong'],
      ['passwords.change', 'done'],
      ['accounts.request_email_change', 'done'],
      ['accounts.resend_email_change', 'done'],
      ['accounts.change_email', 'done'],
      ['accounts.verify_email', 'link_invalid'],
      ['passwords.request_reset', 'done'],
      ['passwords.reset', 'done'],
    ],
  )
  for (const { action, ip, followable } of records) assert.deepEqual([ip, followable], ['127.0.0.1/32', true], action)
})
