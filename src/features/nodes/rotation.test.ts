import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { startTestApp, type TestApp, useTestApp } from '../../../test/support/app.ts'
import { invite } from '../../../test/support/invitations.ts'
import { signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'
import { reportNode, reportStopped } from './nodes.ts'
import { judgeRotation } from './rotation.ts'
import { type RotationState, type RunningNode, readRotationState } from './rotation-state.ts'

const NOW = '2026-03-10T12:00:00.000Z'
const LONG_AGO = '2026-01-01T00:00:00.000Z'

const node = (host: string, signing_kid: string, ...others: string[]): RunningNode => ({
  host,
  version: '1.0.0',
  signing_kid,
  accepted_kids: [signing_kid, ...others],
  started_at: LONG_AGO,
  seen_at: NOW,
})

const used = (kid: string, last_seen_at = NOW, signs_audit = false, signs_invitations = false) => ({
  kid,
  first_seen_at: LONG_AGO,
  last_seen_at,
  signs_audit,
  signs_invitations,
})

const judge = (state: Partial<RotationState>) =>
  judgeRotation({ now: NOW, nodes: [], keys: [used('old')], sealed: [], serviceKid: 'old', ...state })

describe('the next step of a rotation', () => {
  it('is none while no node runs', () => {
    assert.equal(judge({}).step, 'not_running')
  })

  it('is to begin while all nodes know one secret', () => {
    assert.equal(judge({ nodes: [node('a', 'old'), node('b', 'old')] }).step, 'idle')
  })

  it('is to give the new secret to the nodes that do not have it', () => {
    const { step, next } = judge({ nodes: [node('a', 'old', 'new'), node('b', 'old')] })
    assert.equal(step, 'publish')
    assert.match(next, /to b as well/)
  })

  it('is to wait for 15 minutes after the last node published the new key', () => {
    const fresh = { ...node('b', 'old', 'new'), started_at: '2026-03-10T11:50:00.000Z' }
    const { step, until } = judge({ nodes: [node('a', 'old', 'new'), fresh] })
    assert.deepEqual([step, until], ['wait_for_caches', '2026-03-10T12:05:00.000Z'])
  })

  it('is to swap once all caches have the new key, and on each node', () => {
    assert.equal(judge({ nodes: [node('a', 'old', 'new'), node('b', 'old', 'new')] }).step, 'swap')
    const { step, next, problems } = judge({
      nodes: [node('a', 'new', 'old'), node('b', 'old', 'new')],
      keys: [used('old'), used('new')],
    })
    assert.deepEqual([step, problems], ['swap', []])
    assert.match(next, /on b as well/)
  })

  it('is to wait for seven days after the last node signed with the former secret', () => {
    const swapped = { nodes: [node('a', 'new', 'old')] }
    const waiting = judge({ ...swapped, keys: [used('old', '2026-03-05T12:00:00.000Z'), used('new')] })
    assert.deepEqual([waiting.step, waiting.until], ['wait_for_expiry', '2026-03-12T12:01:00.000Z'])
    const signed = judge({ ...swapped, keys: [used('old', LONG_AGO, true), used('new')] })
    assert.deepEqual([signed.step, signed.until], ['wait_for_expiry', undefined])
    const expired = { ...swapped, keys: [used('old', LONG_AGO), used('new')] }
    const sealed = judge({
      ...expired,
      sealed: [
        { kid: 'old', count: 3 },
        { kid: 'new', count: 1 },
      ],
    })
    assert.deepEqual([sealed.step, sealed.until, sealed.problems], ['wait_for_expiry', undefined, []])
    assert.match(sealed.next, /until 3 stored secrets/)
    const invited = judge({ ...swapped, keys: [used('old', LONG_AGO, false, true), used('new')] })
    assert.equal(invited.step, 'wait_for_expiry')
    assert.match(invited.next, /invitations/)
    assert.equal(judge({ ...expired, sealed: [{ kid: 'new', count: 4 }] }).step, 'remove')
  })

  it('is none while a node refuses what another signs: that is fixed first', () => {
    const early = judge({ nodes: [node('a', 'new', 'old'), node('b', 'old')], keys: [used('old'), used('new')] })
    assert.deepEqual(
      [early.step, early.next],
      ['fix', 'Give b (signs with old) the APP_SECRET of a (signs with new) as APP_SECRET_PREVIOUS, and restart.'],
    )
    const wrong = judge({ nodes: [node('a', 'old', 'new'), node('b', 'old', 'new'), node('c', 'typo')] })
    assert.deepEqual(
      [wrong.step, wrong.next],
      [
        'fix',
        'Give c (signs with typo) the same APP_SECRET as a (signs with old), b (signs with old), and restart: its secret is another one.',
      ],
    )
    const [swapped, swappedWrong] = [node('a', 'new', 'old'), node('c', 'typo', 'old')]
    assert.equal(
      judge({ nodes: [swapped, node('b', 'old', 'new'), swappedWrong] }).next,
      'Give c (signs with typo) the same APP_SECRET as a (signs with new), and restart: its secret is another one.',
    )
    assert.equal(
      judge({ nodes: [swapped, swappedWrong] }).next,
      'Give a (signs with new), c (signs with typo) the same APP_SECRET, and restart: each refuses what another signs.',
    )
  })

  it('comes with what would cost callers a 401', () => {
    const { problems } = judge({
      nodes: [node('a', 'new', 'old'), node('b', 'old')],
      keys: [used('old'), used('new'), used('lost', LONG_AGO, true)],
      sealed: [{ kid: 'lost', count: 2 }],
    })
    assert.deepEqual(problems, [
      'b refuses the tokens of a: it does not know the key new.',
      'The audit log has signatures by the key lost, whose secret no node has.',
      '2 stored secrets are sealed by the key lost, whose secret no node has.',
    ])
  })
})

describe('a rotation on two nodes', async () => {
  const [former, next] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
  const service = await useTestApp({ APP_SECRET: former })

  /** Starts a node beside the first one, as an operator restarts it, and reports it. */
  async function start(APP_SECRET: string, APP_SECRET_PREVIOUS = ''): Promise<{ node: TestApp; id: string }> {
    const started = await startTestApp({ APP_SECRET, APP_SECRET_PREVIOUS }, service.db)
    const id = newId()
    await reportNode(service.database, { id, host: id, version: '1.0.0', keys: started.keys })
    return { node: started, id }
  }

  it('costs no caller a 401, whichever node answers, and is judged right at each step', async () => {
    const running = [await start(former), await start(former)]
    const ann = await signUp(service.client)
    const invited = await invite(ann)
    await service.db.query(`update invitations set sent_at = sent_at - interval '9 days'`)
    let { accessToken, refreshToken } = ann
    const steps: string[] = []

    /** Each node in turn is replaced, and all serve the tokens that the others have signed. */
    async function restartAll(secret: string, previous?: string): Promise<void> {
      for (let index = 0; index < running.length; index++) {
        const [replaced] = running.splice(index, 1, await start(secret, previous))
        await reportStopped(service.database, replaced?.id as string)
        await replaced?.node.close()
        await useAll()
      }
      steps.push(judgeRotation(await readRotationState(service.database)).step)
    }

    async function useAll(): Promise<void> {
      for (const { node: at } of running) {
        assert.equal((await at.client.get('/auth/me', { token: accessToken })).status, 200)
        const refreshed = await at.client.post('/auth/refresh', { refreshToken })
        assert.equal(refreshed.status, 200)
        ;({ accessToken, refreshToken } = refreshed.body.data)
      }
    }

    await restartAll(former, next)
    await service.db.query(`update nodes set started_at = started_at - interval '15 minutes'`)
    steps.push(judgeRotation(await readRotationState(service.database)).step)
    await restartAll(next, former)
    await service.db.query(`update signing_keys set last_seen_at = last_seen_at - interval '8 days'`)
    await service.db.query('delete from audit_checkpoints; delete from audit_heads')
    steps.push(judgeRotation(await readRotationState(service.database)).step)
    await ann.api.delete(invited.path)
    steps.push(judgeRotation(await readRotationState(service.database)).step)
    await restartAll(next)
    for (const { node: at } of running) await at.close()
    assert.deepEqual(steps, ['wait_for_caches', 'swap', 'wait_for_expiry', 'wait_for_expiry', 'remove', 'idle'])
  })
})
