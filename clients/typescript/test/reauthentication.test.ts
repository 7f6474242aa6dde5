import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Tenantry } from '@tenantry/client'
import { useTestApp } from '../../../test/support/app.ts'
import { confirmMailbox } from '../../../test/support/factors.ts'
import { closing, dropPolicy, setPolicy } from '../../../test/support/policies.ts'
import { isProblem, signedUp, until } from './support.ts'

const service = await useTestApp()
const { db } = service

/** Signed in some time ago, in a front end that asks for the password, or does not. */
async function cameEarlier(answers: (tenantry: Tenantry, password: string) => Promise<boolean>) {
  const asked: (readonly string[])[] = []
  const client = await signedUp(service, {
    onReauthentication: async (methods) => {
      asked.push(methods)
      return answers(client.tenantry, client.person.password)
    },
  })
  await confirmMailbox(service, client.account)
  await db.query(`update sessions set authenticated_at = now() - interval '11 minutes' where account_id = $1`, [
    client.account.id,
  ])
  return { ...client, asked }
}

const prove = async ({ account }: Tenantry, currentPassword: string) => {
  await account.stepUp({ currentPassword })
  return true
}

describe('a call that wants a fresh proof', () => {
  it('is made again once that is given, with its key', async () => {
    const { tenantry, wire, asked } = await cameEarlier(prove)
    const { secret } = await tenantry.account.factors.addApp({})
    assert.ok(secret)
    assert.deepEqual(asked, [['password']])
    const keys = wire.matching(/totp$/).map(({ headers }) => headers.get('idempotency-key'))
    assert.equal(keys.length, 2)
    assert.equal(keys[0], keys[1])
  })

  it('waits for the same proof as others', async () => {
    const { tenantry, asked } = await cameEarlier(prove)
    const { factors } = tenantry.account
    await Promise.all([factors.addApp({}), factors.startPasskey({}), factors.startPasskey({})])
    assert.equal(asked.length, 1)
  })

  it('is refused without the proof, and asks anew the next time', async () => {
    const { tenantry, asked, wire } = await cameEarlier(async () => false)
    for (const times of [1, 2]) {
      await assert.rejects(tenantry.account.factors.addApp({}), isProblem('reauthentication_required'))
      assert.deepEqual([asked.length, wire.matching(/totp$/).length], [times, times])
    }
  })

  it('is refused when the proof is not enough', async () => {
    const { tenantry, asked } = await cameEarlier(async () => true)
    await assert.rejects(tenantry.account.factors.addApp({}), isProblem('reauthentication_required'))
    assert.equal(asked.length, 1)
  })

  it('ends by its signal while the person is asked', async () => {
    const controller = new AbortController()
    const { tenantry } = await cameEarlier(async () => {
      queueMicrotask(() => controller.abort())
      return new Promise<never>(() => {})
    })
    await assert.rejects(tenantry.account.factors.addApp({}, { signal: controller.signal }), { name: 'AbortError' })
  })
})

it('a company that wants one says so in the session, until it is given', async () => {
  const { tenantry, company, person } = await signedUp(service)
  const access = () => {
    const state = tenantry.session.get()
    return state.status === 'signed_in' && state.access[company.id]
  }
  await setPolicy(db, company.id, closing.reauthentication_required)
  await assert.rejects(company.members.page(), isProblem('reauthentication_required'))
  await until(tenantry, () => access() === 'reauthentication_required')
  await dropPolicy(db, company.id)
  await tenantry.account.stepUp({ currentPassword: person.password })
  assert.equal(access(), 'open')
})
