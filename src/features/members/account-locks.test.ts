import assert from 'node:assert/strict'
import { afterEach, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { confirmMailbox } from '../../../test/support/factors.ts'
import { accept, invitationToken, invite } from '../../../test/support/invitations.ts'
import { link } from '../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()
const { db } = service
afterEach(() => db.query('rollback'))

const lock = async (person: Person, mode: 'share' | 'update') => {
  await db.query('begin')
  await db.query(`select from accounts where id = $1 for ${mode}`, [person.id])
}

it('a company that adds an account takes its turn: it joins no other that has the lock, and so keeps it from no sign-in', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  await lock(ann, 'share')
  const adding = bob.api.post('/companies/users', { name: 'Ann', email: ann.email })
  await db.waitForLock()
  await db.query('rollback')
  assert.equal((await adding).status, 201)
})

it('an owner who offers ownership takes a turn, too', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  const there = await link(ann, bob)
  assert.equal((await there.api.get(`/companies/${ann.company.id}`)).status, 200)
  await lock(ann, 'share')
  const offering = ann.api.post(`/companies/${ann.company.id}/ownership-transfer`, { userId: bob.id })
  await db.waitForLock()
  await db.query('rollback')
  assert.equal((await offering).status, 201)
})

it('an invitation waits for no account', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  await lock(ann, 'update')
  await invite(bob, { email: ann.email })
})

it('an account that is busy is not waited for by the company that it joins, and joins later', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  const token = await invitationToken(service, await invite(bob, { email: ann.email }))
  await confirmMailbox(service, ann)
  await lock(ann, 'update')
  assertProblem(await accept(ann, token), 503, 'database_unavailable')
  await db.query('rollback')
  assert.equal((await accept(ann, token)).status, 200)
})
