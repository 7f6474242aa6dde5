import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addApp, signUpVerified } from '../../../test/support/factors.ts'
import { OPERATOR } from '../../../test/support/operator.ts'
import { anyEmail, assertProblem, PASSWORD } from '../../../test/support/people.ts'
import { NOTICES_WITH_LINK, type NoticeWithLink } from '../mail/outbox/emails.ts'
import { retryEmails } from '../mail/outbox/operate-outbox.ts'
import { createAccount, removePasswords } from './operated-accounts.ts'

const service = await useTestApp()
const { client, db, mailbox } = service

/** Each leaves an account without a password, and tells its owner, to whose address it resolves. */
const causes: Record<NoticeWithLink, () => Promise<string>> = {
  async email_restored() {
    const { email, api } = await signUpVerified(service)
    const other = anyEmail()
    await api.put('/auth/profile', { email: other })
    await client.post('/auth/verify-email', { token: await mailbox.token(other, 'change_email') })
    const token = await mailbox.token(email, 'email_changed')
    assert.equal((await client.post('/auth/undo-email-change', { token })).status, 200)
    return email
  },
  async factor_change_undone() {
    const ann = await signUpVerified(service)
    await addApp(service, ann)
    const token = await mailbox.token(ann.email, 'second_factor_added')
    assert.equal((await client.post('/auth/undo-factor-change', { token })).status, 200)
    return ann.email
  },
  async password_removed() {
    const { id, email } = await signUpVerified(service)
    await removePasswords(service.parts, OPERATOR, id, undefined)
    return email
  },
  async account_created() {
    const email = anyEmail()
    await createAccount(service.parts, OPERATOR, { email, name: 'New', locale: '', company: undefined })
    return email
  },
}

describe('an email that tells of a missing password', () => {
  for (const kind of NOTICES_WITH_LINK) {
    it(`reaches its owner although a stranger has another link sent first: ${kind}`, async () => {
      const email = await causes[kind]()
      await client.post('/auth/forgot-password', { email })
      assert.equal((await mailbox.to(email, kind)).length, 1)
      const [token, newest] = [await mailbox.token(email, kind), await mailbox.token(email, 'reset_password')]
      assertProblem(await client.post('/auth/reset-password', { token, newPassword: PASSWORD }), 400, 'link_invalid')
      assert.equal((await client.post('/auth/reset-password', { token: newest, newPassword: PASSWORD })).status, 200)
    })

    it(`reaches its owner although the mail server was away for longer than its link is valid: ${kind}`, async () => {
      const email = await causes[kind]()
      await db.query(`update one_time_links set expires_at = now() - interval '1 hour' where email = $1`, [email])
      await db.query(`update emails set expires_at = expires_at - interval '1 hour' where recipient_email = $1`, [
        email,
      ])
      const [notice] = await mailbox.to(email, kind)
      assert.match(notice?.text ?? '', /expired.*\/reset-password/s)
    })

    it(`is not sent again after a day, when it is long over: ${kind}`, async () => {
      const email = await causes[kind]()
      await db.query(
        `with over as (delete from one_time_links where email = $1)
         update emails set status = 'failed', finished_at = now(), created_at = created_at - $2::interval
         where recipient_email = $1 and kind = $3`,
        [email, '23 hours', kind],
      )
      const retried = async () => {
        const [row] = await db.query<{ id: string }>('select id from emails where recipient_email = $1 and kind = $2', [
          email,
          kind,
        ])
        return (await retryEmails(service.database, [row?.id ?? ''])).map(({ isRetried }) => isRetried)
      }
      assert.deepEqual(await retried(), [true])
      await db.query(
        `update emails set status = 'failed', finished_at = now(), created_at = created_at - interval '2 hours'
         where recipient_email = $1 and kind = $2`,
        [email, kind],
      )
      assert.deepEqual(await retried(), [false])
    })
  }
})
