import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import type { Access } from '../src/access/requirements.ts'
import { OpenApiDocument } from '../src/http/openapi/document.ts'
import { newId } from '../src/lib/ids.ts'
import { useTestApp } from './support/app.ts'
import type { Client } from './support/client.ts'
import { addApp, ageProofs, confirmSignIn } from './support/factors.ts'
import { assertProblem, type Person, signIn, signUp } from './support/people.ts'

// Every route that declares a fresh session, with sessions that were never fresh or are no longer.

const declaring = mock.method(OpenApiDocument.prototype, 'add')
const service = await useTestApp()
const { client, db } = service
const guarded = declaring.mock.calls.flatMap(({ arguments: [method, url, { access, fresh, docs }] }) =>
  fresh ? [{ method, url: url.replace('/api', ''), access: access as Access, fresh, id: docs.operationId }] : [],
)

/** What asks every account for a recent proof; the others ask accounts with a second factor alone. */
const OF_EVERYBODY = [
  ...['startTotp', 'confirmTotp', 'startPasskey', 'addPasskey', 'removeFactor', 'createRecoveryCodes'],
  ...['addDomain', 'verifyDomain', 'updateDomain', 'deleteDomain', 'updatePolicy', 'resetMemberSecondFactor'],
]
const WITH_FACTOR_ALONE = [
  ...['changePassword', 'changeTemporaryPassword', 'resendEmailChange', 'updateFactor'],
  ...['deleteCompany', 'restoreCompany', 'updateAuditSettings'],
  ...['offerOwnershipTransfer', 'acceptOwnershipTransfer', 'resetMemberPassword', 'emailMemberPassword'],
]

/** In the own company, and with ids of nothing else: freshness comes before whatever the path names. */
async function assertAllRefuse(api: Client, { company }: Person, methods: string[], routes = guarded): Promise<void> {
  assert.ok(routes.length > 8)
  for (const { method, url, access } of routes) {
    const named = typeof access === 'object' ? (access.at ?? access.sameAs) : undefined
    const path = url.replace(/:(\w+)/g, (_, parameter) => (parameter === named ? company.id : newId()))
    const refused = await api.send(method, path, {})
    assertProblem(refused, 403, 'reauthentication_required')
    assert.deepEqual(refused.body.methods, methods, `${method} ${url}`)
  }
}

describe('a route for a fresh session', () => {
  it('guards what opens an account, owns a company or says who may enter it, each for ten minutes', () => {
    const ids = (isOfEverybody: boolean) =>
      guarded.filter(({ fresh }) => !fresh.onlyWithFactor === isOfEverybody).map(({ id }) => id)
    assert.deepEqual(ids(true).sort(), OF_EVERYBODY.sort())
    assert.deepEqual(ids(false).sort(), WITH_FACTOR_ALONE.sort())
    for (const { fresh } of guarded) assert.equal(fresh.minutes, 10)
  })

  const sessions: Record<string, (ann: Person) => Promise<string>> = {
    'is older than the second factor, and was continued since': async (ann) => {
      const before = await signIn(client, ann.email)
      await addApp(service, ann)
      const { body } = await client.post('/auth/refresh', { refreshToken: before.refreshToken })
      return body.data.accessToken
    },
    'has added the second factor ten minutes ago': async (ann) => {
      await addApp(service, ann)
      await ageProofs(service, ann)
      return ann.accessToken
    },
    'was opened with the second factor ten minutes ago, and continued since': async (ann) => {
      const app = await addApp(service, ann)
      const { refreshToken } = (await confirmSignIn(client, ann, { code: await app.unusedCode() })).body.data
      for (const { id } of await db.query<{ id: string }>('select id from sessions where account_id = $1', [ann.id]))
        await ageProofs(service, { sessionId: id })
      return (await client.post('/auth/refresh', { refreshToken })).body.data.accessToken
    },
  }
  for (const [what, open] of Object.entries(sessions))
    it(`refuses a session that ${what}`, async () => {
      const ann = await signUp(client)
      const token = await open(ann)
      await assertAllRefuse(ann.api.with({ token }), ann, ['totp', 'recovery_code'])
    })

  it('refuses an account without a second factor whose password was proved ten minutes ago, where all are asked', async () => {
    const ann = await signUp(client)
    await ageProofs(service, ann)
    const ofEverybody = guarded.filter(({ fresh }) => !fresh.onlyWithFactor)
    await assertAllRefuse(ann.api, ann, ['password'], ofEverybody)
  })
})
