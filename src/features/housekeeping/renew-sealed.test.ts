import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { startTestApp, type TestApp, useTestApp } from '../../../test/support/app.ts'
import { addApp, confirmSignIn } from '../../../test/support/factors.ts'
import { signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'
import { type Keys, keysFrom } from '../../lib/keys.ts'
import { seal, unseal } from '../../lib/sealed.ts'
import { readRotationState } from '../nodes/rotation-state.ts'
import { renewSealed } from './renew-sealed.ts'

const service = await useTestApp()
const secret = () => randomBytes(32).toString('base64url')
const [former, next] = [secret(), secret()]
const placeOf = (rowId: string) => ({ table: 'second_factors', column: 'secret', rowId })
let accountId: string
before(async () => {
  accountId = (await signUp(service.client)).id
})

async function store(keys: Keys, text: string): Promise<string> {
  const id = newId()
  await service.db.query(`insert into second_factors (id, account_id, kind, secret) values ($1, $2, 'totp', $3)`, [
    id,
    accountId,
    seal(keys, placeOf(id), text),
  ])
  return id
}

const sealedIn = async (id: string): Promise<Buffer> =>
  (await service.db.query('select secret from second_factors where id = $1', [id]))[0]?.secret

async function renew(keys: Keys, keyUse = { maySeal: true }) {
  const failures: string[] = []
  const onFailure = ({ message }: Error) => void failures.push(message)
  const { database } = service
  const counts = await renewSealed({ database, keys, keyUse, onFailure }, new AbortController().signal)
  return { ...counts, failures }
}

describe('after a rotation of APP_SECRET', () => {
  it('what the former one has sealed is sealed anew, more than one batch of it, and then the former one is not needed', async () => {
    const ids: string[] = []
    for (let i = 0; i < 205; i++) ids.push(await store(keysFrom(former), `secret ${i}`))
    const rotated = keysFrom(next, former)
    const counted = async () => (await readRotationState(service.database)).sealed
    assert.deepEqual(await counted(), [{ kid: keysFrom(former).current.kid, count: 205 }])

    assert.deepEqual(await renew(rotated, { maySeal: false }), { renewed: 0, left: 0, failures: [] })
    assert.deepEqual(await renew(rotated), { renewed: 205, left: 0, failures: [] })
    assert.deepEqual(await renew(rotated), { renewed: 0, left: 0, failures: [] })
    assert.deepEqual(await counted(), [{ kid: rotated.current.kid, count: 205 }])
    for (const [index, id] of ids.entries())
      assert.equal(unseal(keysFrom(next), placeOf(id), await sealedIn(id)), `secret ${index}`)
    await service.db.query('delete from second_factors')
  })

  it('a value that can’t be opened is left as it is, named, and keeps no other from being sealed anew', async () => {
    const [foreign, moved, good] = [
      await store(keysFrom(secret()), 'a'),
      await store(keysFrom(former), 'b'),
      await store(keysFrom(former), 'c'),
    ]
    await service.db.query('update second_factors set secret = $1 where id = $2', [await sealedIn(good), moved])
    const untouched = [await sealedIn(foreign), await sealedIn(moved)]

    const { failures, ...counts } = await renew(keysFrom(next, former))
    assert.deepEqual(counts, { renewed: 1, left: 2 })
    assert.deepEqual(failures, [
      `second_factors.secret of the row ${foreign} was sealed by a key that no APP_SECRET here gives`,
      `second_factors.secret of the row ${moved} is not what was sealed there`,
    ])
    assert.deepEqual([await sealedIn(foreign), await sealedIn(moved)], untouched)
    assert.equal(unseal(keysFrom(next), placeOf(good), await sealedIn(good)), 'c')
  })

  it('an app of before signs in, with the former secret beside the new one, and then without it', async () => {
    const nodes: TestApp[] = []
    const start = async (settings: Record<string, string>) => {
      const node = await startTestApp(settings, service.db)
      nodes.push(node)
      return node
    }
    try {
      const before = await start({ APP_SECRET: former })
      const ann = await signUp(before.client)
      const app = await addApp(before, ann)
      const during = await start({ APP_SECRET: next, APP_SECRET_PREVIOUS: former })
      assert.equal((await confirmSignIn(during.client, ann, { code: await app.unusedCode() })).status, 200)
      const { renewed } = await renew(keysFrom(next, former))
      assert.equal(renewed, 1)
      const after = await start({ APP_SECRET: next })
      assert.equal((await confirmSignIn(after.client, ann, { code: await app.unusedCode() })).status, 200)
    } finally {
      for (const node of nodes) await node.close()
    }
  })
})
