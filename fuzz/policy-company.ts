import assert from 'node:assert/strict'
import type { TestApp } from '../test/support/app.ts'
import { addApp } from '../test/support/factors.ts'
import { join } from '../test/support/members.ts'
import { signIn } from '../test/support/people.ts'
import type { Caller } from './callers.ts'
import { type Canaries, freshWord } from './canaries.ts'
import { callerFrom, newPerson } from './people.ts'

/**
 * A company that asks all for a second factor: with its owner in a session that has proved one and in one that has not, and an
 * administrator who has none.
 */
export async function createPolicyCompany(service: TestApp, canaries: Canaries): Promise<Caller[]> {
  const owner = await newPerson(service, canaries, 'G Owner', freshWord())
  const shut = await newPerson(service, canaries, 'G Shut')
  await join(owner, shut, ['Admin'])
  const before = await signIn(service.client, owner.email)
  const { secret } = await addApp(service, owner)
  const policy = { secondFactor: { required: 'everybody' }, sessions: { maxAgeHours: 12 } }
  const { status, body } = await owner.api.patch('/companies/policy', policy)
  assert.equal(status, 200, JSON.stringify(body))
  const companyId = owner.company.id
  return [
    { ...callerFrom('G Owner', owner), trait: 'second factor', apps: [secret] },
    { ...callerFrom('G Unproved', before), trait: 'shut out' },
    { ...callerFrom('G Shut', shut), companyId, trait: 'shut out' },
  ]
}
