import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addManagedMember, join } from '../../../test/support/members.ts'
import { OPERATOR } from '../../../test/support/operator.ts'
import { anyEmail, assertProblem, PASSWORD, registration, signIn, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'
import { disableAccount, enableAccount } from './disable-account.ts'

const service = await useTestApp()
const { client, mailbox } = service
const note = { notifies: false, reason: undefined }
const disable = (id: string) => disableAccount(service.database, OPERATOR, id, note)
const enable = (id: string) => enableAccount(service.database, OPERATOR, id, note)

describe('an account that is disabled', () => {
  it('while it signs in and refreshes on many devices keeps no session, and no token that was given works', async () => {
    const ann = await signUp(client)
    const devices = await Promise.all([1, 2, 3].map(() => signIn(client, ann.email)))
    const [, ...answers] = await Promise.all([
      disable(ann.id),
      ...Array.from({ length: 6 }, () => client.post('/auth/login', { email: ann.email, password: PASSWORD })),
      ...devices.map(({ refreshToken }) => client.post('/auth/refresh', { refreshToken })),
      ann.api.post('/auth/change-password', { currentPassword: PASSWORD, newPassword: 'Another-horse-8' }),
    ])
    for (const { status } of answers) assert.ok([200, 401].includes(status), String(status))
    const given = answers.map(({ body }) => body.data?.accessToken).filter(Boolean)
    for (const token of given) assertProblem(await client.get('/auth/me', { token }), 401, 'token_invalid')
    const open = 'select from sessions where account_id = $1 and revoked_at is null'
    assert.deepEqual(await service.db.query(open, [ann.id]), [])
  })

  it('gets no tokens from requests that are repeated with their Idempotency-Key', async () => {
    const key = { headers: { 'idempotency-key': newId() } }
    const body = registration()
    const { data } = (await client.post('/auth/register', body, key)).body
    const again = { headers: { 'idempotency-key': newId() } }
    const { refreshToken } = data
    assert.equal((await client.post('/auth/refresh', { refreshToken }, again)).status, 200)
    assert.equal((await client.post('/auth/refresh', { refreshToken }, again)).status, 200)
    await disable(data.user.id)
    assertProblem(await client.post('/auth/refresh', { refreshToken }, again), 401, 'refresh_token_invalid')
    assertProblem(await client.post('/auth/register', body, key), 409, 'email_taken')
    await enable(data.user.id)
    assertProblem(await client.post('/auth/refresh', { refreshToken }, again), 401, 'refresh_token_invalid')
    assertProblem(await client.post('/auth/register', body, key), 409, 'email_taken')
  })

  it('loses the change of address that it has begun, for good', async () => {
    const ann = await signUp(client)
    const newEmail = anyEmail()
    await ann.api.put('/auth/profile', { email: newEmail })
    const token = await mailbox.token(newEmail, 'change_email')
    await disable(ann.id)
    assertProblem(await client.post('/auth/verify-email', { token }), 400, 'link_invalid')
    await enable(ann.id)
    assertProblem(await client.post('/auth/verify-email', { token }), 400, 'link_invalid')
    const { user } = (await client.post('/auth/login', { email: ann.email, password: PASSWORD })).body.data
    assert.deepEqual([user.email, user.pending_email], [ann.email, undefined])
  })

  it('is not opened by a password that its company resets, until it is enabled', async () => {
    const ann = await signUp(client)
    const bob = await addManagedMember(service, ann)
    await disable(bob.id)
    const reset = await ann.api.post(`/companies/users/${bob.id}/reset-password`)
    assert.equal(reset.status, 200)
    const login = { email: bob.email, password: reset.body.data.temporaryPassword }
    assertProblem(await client.post('/auth/login', login), 401, 'credentials_wrong')
    await enable(bob.id)
    assert.equal((await client.post('/auth/login', login)).status, 200)
  })

  it('accepts no ownership that it is offered', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client), ['Admin'])
    const path = `/companies/${ann.company.id}/ownership-transfer`
    await disable(bob.id)
    assert.equal((await ann.api.post(path, { userId: bob.id, password: PASSWORD })).status, 201)
    assertProblem(await bob.api.post(`${path}/accept`), 401, 'token_invalid')
    assert.equal((await ann.api.get(path)).status, 200)
    assert.equal((await ann.api.delete(path)).status, 200)
  })
})
