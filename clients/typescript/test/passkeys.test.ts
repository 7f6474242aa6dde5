import assert from 'node:assert/strict'
import { afterEach, it } from 'node:test'
import { createPasskey, getPasskey, Problem, type Tenantry } from '@tenantry/client'
import { useTestApp } from '../../../test/support/app.ts'
import { Authenticator } from '../../../test/support/authenticator.ts'
import { confirmMailbox } from '../../../test/support/factors.ts'
import { browserWith } from './browser-passkeys.ts'
import { clientOf, signedUp } from './support.ts'

const service = await useTestApp()
const authenticator = new Authenticator()
const browser = browserWith(authenticator)
afterEach(() => void browser.asked.splice(0))

async function addPasskey({ account: { factors } }: Tenantry, name: string) {
  const { challenge, options } = await factors.startPasskey({})
  return factors.addPasskey({ challenge, credential: await createPasskey(options), name })
}

async function withPasskey() {
  const client = await signedUp(service)
  await confirmMailbox(service, client.account)
  return { ...client, added: await addPasskey(client.tenantry, 'Laptop') }
}

it('adds a passkey, and the session shows that there is one', async () => {
  const { tenantry, added } = await withPasskey()
  assert.deepEqual([added.factor.kind, added.factor.name, added.recoveryCodes?.length], ['passkey', 'Laptop', 10])
  const state = tenantry.session.get()
  assert.equal(state.status === 'signed_in' && state.account?.second_factor, true)

  await addPasskey(tenantry, 'Phone')
  const [first] = authenticator.passkeys.slice(-2)
  const { excludeCredentials } = (browser.asked.at(-1)?.publicKey ?? {}) as {
    excludeCredentials?: { id: Uint8Array }[]
  }
  assert.deepEqual(Buffer.from(excludeCredentials?.[0]?.id ?? []), first?.id)
})

it('signs in with it, also from the list under a field', async () => {
  const { account } = await withPasskey()
  const { tenantry } = clientOf(service)
  const { challenge, options } = await tenantry.passkeys.start()
  const credential = await getPasskey(options, { mediation: 'conditional' })
  const state = await tenantry.passkeys.signIn({ challenge, credential })
  assert.equal(state.account?.id, account.id)
  assert.equal(browser.asked.at(-1)?.mediation, 'conditional')
})

it('finishes a sign-in and confirms who it is with it', async () => {
  const { person, account } = await withPasskey()
  const { tenantry } = clientOf(service)
  const refused: unknown = await tenantry.signIn(person).catch((error) => error)
  assert.ok(refused instanceof Problem && refused.code === 'second_factor_required')
  const { token, passkeyOptions } = refused.challenge
  assert.ok(passkeyOptions)
  const state = await tenantry.confirmSignIn({ challenge: token, credential: await getPasskey(passkeyOptions) })
  assert.equal(state.account?.id, account.id)

  const { challenge, options } = await tenantry.account.stepUpOptions()
  assert.ok(challenge && options)
  const confirmed = await tenantry.account.stepUp({ challenge, credential: await getPasskey(options) })
  assert.ok(confirmed.second_factor_at)
})
