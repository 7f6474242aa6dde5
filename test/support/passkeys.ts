import assert from 'node:assert/strict'
import type { TestApp } from './app.ts'
import { Authenticator, type Behavior } from './authenticator.ts'
import { confirmMailbox } from './factors.ts'
import { PASSWORD, type Person } from './people.ts'

type Service = Pick<TestApp, 'client' | 'db'>

/** What a session that may is asked to create. */
export async function startAdding({ api }: Pick<Person, 'api'>) {
  const { status, body } = await api.post('/auth/factors/passkeys/options', {})
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

/** The answer to a new passkey. */
export async function tryToAdd(person: Pick<Person, 'api'>, authenticator: Authenticator, behavior?: Behavior) {
  const { challenge, options } = await startAdding(person)
  const credential = authenticator.create(options, behavior)
  return person.api.post('/auth/factors/passkeys', { challenge, credential, name: 'Key' })
}

export interface AddedPasskey {
  id: string
  authenticator: Authenticator
  recoveryCodes: string[]
}

/** Adds a passkey to an account, in a session that may. */
export async function addPasskey(
  { db }: Pick<Service, 'db'>,
  person: Person,
  authenticator = new Authenticator(),
): Promise<AddedPasskey> {
  await confirmMailbox({ db }, person)
  const { status, body } = await tryToAdd(person, authenticator)
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.data.factor.id, authenticator, recoveryCodes: body.data.recoveryCodes ?? [] }
}

export async function startPasskey({ client }: Pick<Service, 'client'>) {
  return (await client.post('/auth/passkeys/options')).body.data
}

/** Signs in with the newest passkey of the authenticator. */
export async function tryPasskey(service: Pick<Service, 'client'>, authenticator: Authenticator, behavior?: Behavior) {
  const { challenge, options } = await startPasskey(service)
  return service.client.post('/auth/passkeys/login', { challenge, credential: authenticator.get(options, behavior) })
}

/** The challenge of a sign-in with the right password, with what a passkey is asked to sign. */
export async function challengeForPasskey({ client }: Pick<Service, 'client'>, { email }: Pick<Person, 'email'>) {
  const { status, body } = await client.post('/auth/login', { email, password: PASSWORD })
  assert.deepEqual([status, body.code], [401, 'second_factor_required'], JSON.stringify(body))
  return body.challenge
}
