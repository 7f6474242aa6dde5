import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import type { Answer } from '../../../test/support/client.ts'
import { confirmMailbox } from '../../../test/support/factors.ts'
import { addManagedMember } from '../../../test/support/members.ts'
import { addPasskey, startPasskey } from '../../../test/support/passkeys.ts'
import { assertProblem, PASSWORD, type Person, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()
const { client, db, mailbox } = service
const ann = await signUp(client)

type Refusal = readonly [status: number, code: string]

/** What waits for the lock of an account finds that an operator has deleted its row. Gives what the request is then refused with. */
async function assertRefusedWithRow(bob: Person, send: () => Promise<Answer>, refusal: Refusal) {
  await ann.api.delete(`/companies/${ann.company.id}/members/${bob.id}`)
  await db.query('begin')
  await db.query('delete from accounts where id = $1', [bob.id])
  const answer = send()
  await db.waitForLock()
  await db.query('commit')
  assertProblem(await answer, ...refusal)
}

const ofOwnAccount: Record<string, (bob: Person) => Promise<Answer>> = {
  'a change of the profile': ({ api }) => api.put('/auth/profile', { name: 'Robert' }),
  'a step-up by password': ({ api }) => api.post('/auth/step-up', { currentPassword: PASSWORD }),
  'a code for the mailbox': ({ api }) => api.post('/auth/factors/totp', {}),
  'a new company': ({ api }) => api.post('/companies', { name: 'Bobby', taxId: 'B-1' }),
}
for (const [what, send] of Object.entries(ofOwnAccount))
  it(`${what} ends with the session where the account is deleted meanwhile`, async () => {
    const bob = await addManagedMember(service, ann)
    await assertRefusedWithRow(bob, () => send(bob), [401, 'token_invalid'])
  })

it('a passkey whose account is deleted meanwhile is refused like any that is not known', async () => {
  const bob = await addManagedMember(service, ann)
  await confirmMailbox(service, bob)
  const { authenticator } = await addPasskey(service, bob)
  const { challenge, options } = await startPasskey(service)
  const credential = authenticator.get(options)
  const send = () => client.post('/auth/passkeys/login', { challenge, credential })
  await assertRefusedWithRow(bob, send, [401, 'second_factor_wrong'])
})

it('a link to a new password is invalid where its account is deleted meanwhile', async () => {
  const bob = await addManagedMember(service, ann)
  await client.post('/auth/forgot-password', { email: bob.email })
  const token = await mailbox.token(bob.email, 'reset_password')
  const send = () => client.post('/auth/reset-password', { token, newPassword: 'Correct-horse-8' })
  await assertRefusedWithRow(bob, send, [400, 'link_invalid'])
})
