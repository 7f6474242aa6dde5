import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createClient, memoryStore, Problem } from '@tenantry/client'
import { useTestApp } from '../../../test/support/app.ts'
import { registration } from '../../../test/support/people.ts'

const service = await useTestApp()

describe('a client', () => {
  it('signs up, manages members, and signs out', async () => {
    const tenantry = createClient({ baseUrl: service.address, session: memoryStore() })
    const person = registration()
    const state = await tenantry.register(person)
    assert.equal(state.status, 'signed_in')
    const acme = tenantry.company(state.companies[0]?.id ?? '')
    assert.ok(acme.can('users:create'))
    const members = await Array.fromAsync(acme.members.list())
    assert.deepEqual(
      members.map(({ email }) => email),
      [person.email],
    )
    const added = await acme.members.add({ name: 'Yan', email: `yan-${person.email}` })
    const read = await acme.members.get(added.id)
    assert.match(read.etag, /^"/)
    const updated = await acme.members.update(read, { position: 'Cook' })
    await assert.rejects(
      acme.members.update(read, { position: 'Chef' }),
      (error) => error instanceof Problem && error.code === 'version_mismatch',
    )
    await acme.members.remove(updated)
    await assert.rejects(acme.leave(), (error) => error instanceof Problem && error.code === 'last_owner')
    await assert.rejects(
      tenantry.company('nope').get(),
      (error) => error instanceof Problem && error.code === 'validation_failed' && error.details.length === 1,
    )
    const audit = await Array.fromAsync(acme.audit.list({ limit: 2 }))
    assert.ok(audit.length > 2)
    const roles = await acme.roles.page({ limit: 1 })
    assert.equal(roles.total, 4)
    await tenantry.signOut()
    assert.deepEqual(tenantry.session.get(), { status: 'signed_out', reason: 'signed_out' })
    await assert.rejects(acme.get(), (error) => error instanceof Problem && error.code === 'signed_out')
    assert.equal((await tenantry.signIn(person)).status, 'signed_in')
  })
})
