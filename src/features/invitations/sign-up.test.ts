import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { startTestApp, type TestApp, useTestApp } from '../../../test/support/app.ts'
import { accept, invitationToken, invite, registerInvited } from '../../../test/support/invitations.ts'
import { assertProblem, registration, signUp } from '../../../test/support/people.ts'

const APP_SECRET = randomBytes(32).toString('base64url')
const service = await useTestApp({ APP_SECRET })
const ann = await signUp(service.client)

/** The same service with another setting, on the same database. */
async function openAs(SIGN_UP: string): Promise<TestApp> {
  const app = await startTestApp({ APP_SECRET, SIGN_UP }, service.db)
  after(() => app.close())
  return app
}

const nextOf = async ({ client }: TestApp, token: string) =>
  (await client.post('/auth/invitations/preview', { token })).body.data.next

describe('SIGN_UP', () => {
  it('invited: only people with an invitation by email create an account', async () => {
    const invited = await openAs('invited')
    assertProblem(await invited.client.post('/auth/register', registration()), 403, 'sign_up_closed')
    const token = await invitationToken(service, await invite(ann))
    assert.equal(await nextOf(invited, token), 'register')
    assert.equal((await registerInvited(invited, token)).status, 201)
  })

  it('closed: no one creates an account, while members are added and accounts join', async () => {
    const closed = await openAs('closed')
    assertProblem(await closed.client.post('/auth/register', registration()), 403, 'sign_up_closed')
    const token = await invitationToken(service, await invite(ann))
    assert.equal(await nextOf(closed, token), 'none')
    assertProblem(await registerInvited(closed, token), 403, 'sign_up_closed')
    assert.equal((await closed.client.post('/auth/invitations/decline', { token })).status, 200)

    const bob = await signUp(service.client)
    const known = await invitationToken(service, await invite(ann, { email: bob.email }))
    assert.equal(await nextOf(closed, known), 'sign_in')
    const there = closed.client.with({ token: bob.accessToken })
    assert.equal((await accept({ ...bob, api: there }, known)).status, 200)
    const admin = closed.client.with({ token: ann.accessToken, company: ann.company.id })
    const added = await admin.post('/companies/users', { name: 'Carl', email: registration().email })
    assert.deepEqual([added.status, added.body.data.isNewUser], [201, true])
  })
})
