import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { createBranch } from '../../../test/support/branches.ts'
import { addMember, join, rolesOf } from '../../../test/support/members.ts'
import { assertProblem, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestApp()
const ann = await signUp(service.client)

const users = '/companies/users'
const read = (id: string, headers: Record<string, string> = {}) => ann.api.get(`${users}/${id}`, { headers })
const tagOf = async (id: string) => (await read(id)).headers.get('etag') as string

it('returns one member in the shape of the list', async () => {
  const bob = await addMember(ann)
  const { status, body } = await read(bob.id.toUpperCase())
  const listed = (await ann.api.get(`${users}?search=${bob.email}`)).body.data[0]
  assert.deepEqual([status, body], [200, { success: true, data: listed }])
  const reader = await join(ann, await signUp(service.client))
  assert.equal((await reader.api.get(`${users}/${bob.id}`)).status, 200)
})

it('finds only members of this company, and takes search for no id', async () => {
  const eve = await signUp(service.client)
  const carl = await addMember(eve)
  for (const id of [eve.id, carl.id, newId()]) assertProblem(await read(id), 404, 'member_not_found')
  for (const id of ['x', `%7B${ann.id}%7D`]) assertProblem(await read(id), 400, 'validation_failed')
  assert.deepEqual((await ann.api.get(`${users}/search?q=unknown-name`)).body.data, [])
})

it('changes its ETag with every shown field, also when it changes elsewhere', async () => {
  const bob = await join(ann, await signUp(service.client))
  const branch = await createBranch(ann)
  const roles = await rolesOf(ann)
  let tag = await tagOf(bob.id)
  assert.equal((await read(bob.id, { 'if-none-match': tag })).status, 304)
  const changes = [
    () => ann.api.patch(`${users}/${bob.id}`, { phone: '1' }),
    () => ann.api.patch(`${users}/${bob.id}`, { roleIds: [roles.Manager] }),
    () => ann.api.patch(`${users}/${bob.id}`, { branchIds: [branch.id] }),
    () => bob.api.put('/auth/profile', { name: 'Another' }),
  ]
  for (const change of changes) {
    const answer = await change()
    assert.equal(answer.status, 200)
    const now = await read(bob.id, { 'if-none-match': tag })
    assert.equal(now.status, 200)
    tag = now.headers.get('etag') as string
    if (answer.headers.has('etag')) assert.equal(answer.headers.get('etag'), tag)
  }
})

it('changes its ETag with fields that it does not show, such as documents', async () => {
  const bob = await addMember(ann)
  const tag = await tagOf(bob.id)
  const change = (document_number: string) =>
    ann.api.patch(`${users}/${bob.id}`, { document_number }, { headers: { 'if-match': tag } })
  assert.equal((await change('1')).status, 200)
  assertProblem(await change('2'), 412, 'version_mismatch')
})

it('accepts one of ten parallel updates with one ETag', async () => {
  const bob = await addMember(ann)
  const other = await join(ann, await signUp(service.client), ['Admin'])
  for (let round = 0; round < 5; round++) {
    const headers = { 'if-match': await tagOf(bob.id) }
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? ann : other).api.patch(`${users}/${bob.id}`, { phone: `${round} ${i}` }, { headers }),
      ),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 9)
    for (const answer of refused) assertProblem(answer, 412, 'version_mismatch')
    const winner = answers.find(({ status }) => status === 200)
    assert.equal((await read(bob.id)).body.data.phone, winner?.body.data.phone)
  }
})

it('detaches a member by both routes only with the current ETag', async () => {
  for (const path of [users, `/companies/${ann.company.id}/members`]) {
    const bob = await addMember(ann)
    const old = { 'if-match': await tagOf(bob.id) }
    await ann.api.patch(`${users}/${bob.id}`, { position: 'Boss' })
    assertProblem(await ann.api.delete(`${path}/${bob.id}`, undefined, { headers: old }), 412, 'version_mismatch')
    const fresh = { 'if-match': await tagOf(bob.id) }
    assert.equal((await ann.api.delete(`${path}/${bob.id}`, undefined, { headers: fresh })).status, 200)
    assertProblem(await ann.api.delete(`${path}/${bob.id}`, undefined, { headers: fresh }), 404, 'member_not_found')
    assertProblem(await ann.api.patch(`${users}/${bob.id}`, {}, { headers: fresh }), 404, 'member_not_found')
  }
})
