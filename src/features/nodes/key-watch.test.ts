import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { APP_URL, type TestApp } from '../../../test/support/app.ts'
import { verifyAudit } from '../../../test/support/audit.ts'
import { testBrand } from '../../../test/support/brand.ts'
import { invite } from '../../../test/support/invitations.ts'
import { age, FULL, type Node, PAUSED, SECRET, startNode, withService } from '../../../test/support/key-nodes.ts'
import { createTestMailbox } from '../../../test/support/mailbox.ts'
import { type Person, signIn, signUp } from '../../../test/support/people.ts'
import { startProcess } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { PRINTED_SECRET } from '../../config/settings.ts'
import { type Keys, keysFrom } from '../../lib/keys.ts'
import { sealCompany } from '../audit/chain/seal-company.ts'
import { verifyChain } from '../audit/chain/verify-company.ts'
import { renewSignatures } from '../audit/worker/renew-signatures.ts'
import { startMailWorker } from '../mail/delivery/worker.ts'
import { judgeRotation } from './rotation.ts'
import { readRotationState } from './rotation-state.ts'

const OTHER = 'another-secret-which-one-node-was-given'

/** How many emails a node delivers that wait. */
async function deliverBy({ database }: TestApp, { deps: { keys, log, keyUse } }: Node): Promise<number> {
  const { delivery } = createTestMailbox()
  const brand = testBrand()
  const worker = startMailWorker({ database, keys, log, keyUse, delivery, brand, appUrl: APP_URL, idle: true })
  const delivered = await worker.deliverDue()
  await worker.stop()
  return delivered
}

describe('a node with another APP_SECRET than the running ones', () => {
  it('says so, seals nothing and sends nothing, and goes on when it is alone with the audit log of its own secret', () =>
    withService(async (service) => {
      const right = await startNode(service, 'one', keysFrom(SECRET))
      const ann = await signUp(service.client)
      assert.ok((await sealCompany(right.deps, ann.company.id)) > 0)
      const wrong = await startNode(service, 'two', keysFrom(OTHER))
      assert.deepEqual(await wrong.report(), { maySeal: false, maySend: false })
      assert.deepEqual(
        wrong.lines.map(({ level }) => level),
        [50],
      )
      assert.match(
        wrong.lines[0]?.msg ?? '',
        /^APP_SECRET is not the one of the service: .* APP_SECRET_PREVIOUS .* with which one signs and the audit log is signed\./,
      )
      const bob = await signUp(service.client)
      assert.equal(await sealCompany(wrong.deps, bob.company.id), 0)
      await invite(bob)
      assert.equal(await deliverBy(service, wrong), 0)
      assert.deepEqual(await right.report(), FULL)
      assert.deepEqual([right.lines.length, right.lines[0]?.level], [1, 40])
      assert.match(right.lines[0]?.msg ?? '', /^two signs with the key /)
      assert.equal(await deliverBy(service, right), 1)
      assert.ok((await sealCompany(right.deps, bob.company.id)) > 0)
      assert.equal((await verifyAudit(bob)).valid, true)

      await wrong.stop()
      assert.deepEqual(await right.report(), FULL)
      assert.equal(right.lines.at(-1)?.msg, 'all nodes have the same secret again')
    }))

  it('does not keep the others from their work, though it has sealed logs already and has several processes', () =>
    withService(async (service) => {
      const right = await startNode(service, 'one', keysFrom(SECRET))
      const people = await Promise.all(Array.from({ length: 3 }, () => signUp(service.client)))
      const wrong = [await startNode(service, 'two', keysFrom(OTHER)), await startNode(service, 'two', keysFrom(OTHER))]
      for (const { company } of people.slice(0, 2)) await sealCompany(right.deps, company.id)
      await sealCompany(
        { ...(wrong[0] as Node).deps, keyUse: { ...FULL } },
        (people[2] as (typeof people)[0]).company.id,
      )
      assert.deepEqual(await right.report(), FULL)
      for (const node of wrong) assert.equal((await node.report()).maySeal, false)
    }))

  it('is the later one where no log is sealed yet', () =>
    withService(async (service) => {
      const first = await startNode(service, 'one', keysFrom(SECRET))
      const second = await startNode(service, 'two', keysFrom(OTHER))
      assert.deepEqual([await first.report(), (await second.report()).maySeal], [FULL, false])
    }))

  it('may be one with a former secret', () =>
    withService(async (service) => {
      const former = await startNode(service, 'one', keysFrom(SECRET))
      await former.stop()
      await age(service, '1 year')
      const right = await startNode(service, 'one', keysFrom(OTHER))
      const ann = await signUp(service.client)
      await sealCompany(right.deps, ann.company.id)
      const late = await startNode(service, 'two', keysFrom(SECRET))
      assert.deepEqual([await right.report(), await late.report()], [FULL, { maySeal: false, maySend: false }])
    }))

  it('may be one with the secret that was lost or has leaked, though most of the audit log is signed with it', () =>
    withService(async (service) => {
      const former = await startNode(service, 'one', keysFrom(SECRET))
      const people = await Promise.all(Array.from({ length: 3 }, () => signUp(service.client)))
      for (const { company } of people) await sealCompany(former.deps, company.id)
      await former.stop()
      const right = await startNode(service, 'one', keysFrom(OTHER))
      await age(service, '30 days')
      assert.deepEqual(await right.report(), FULL)
      const late = await startNode(service, 'two', keysFrom(SECRET))
      assert.deepEqual([await right.report(), await late.report()], [FULL, { maySeal: false, maySend: false }])
      assert.match(
        judgeRotation(await readRotationState(service.database)).next,
        /^Give two \(.*\) the same APP_SECRET as one /,
      )
      await late.stop()
      assert.deepEqual(await right.report(), FULL)
    }))
})

describe('during a rotation', () => {
  const NEXT = 'the-next-secret-of-all-nodes-of-the-service'
  const TYPO = 'the-nxet-secret-of-all-nodes-of-the-service'

  /** A service whose nodes have been told the next secret, with one sealed log. */
  const afterPublishing = (work: (service: TestApp, ann: Person, former: Node) => Promise<void>) =>
    withService(async (service) => {
      const ann = await signUp(service.client)
      const former = await startNode(service, 'one', keysFrom(SECRET, NEXT))
      await sealCompany(former.deps, ann.company.id)
      await work(service, ann, former)
    })

  it('a node seals with the next secret once all others accept it', () =>
    afterPublishing(async (service, ann, former) => {
      const swapped = await startNode(service, 'two', keysFrom(NEXT, SECRET))
      assert.deepEqual([await former.report(), await swapped.report()], [FULL, FULL])
      assert.ok((await renewSignatures(swapped.deps)).renewed > 0)
      assert.deepEqual([await former.report(), await swapped.report()], [FULL, FULL])
      assert.equal((await verifyChain(former.deps, ann.company.id)).valid, true)
    }))

  it('a typing error in the swap signs nothing, and the nodes that still have the former secret go on', () =>
    afterPublishing(async (service, _ann, former) => {
      const wrong = await startNode(service, 'two', keysFrom(TYPO, SECRET))
      assert.deepEqual([await former.report(), await wrong.report()], [FULL, PAUSED])
      assert.match(wrong.lines[0]?.msg ?? '', /^APP_SECRET gives the key \S+, which one does not accept: /)
      const swapped = await startNode(service, 'three', keysFrom(NEXT, SECRET))
      assert.deepEqual([await swapped.report(), await former.report(), await wrong.report()], [PAUSED, FULL, PAUSED])
      await wrong.stop()
      assert.deepEqual(await swapped.report(), FULL)
    }))

  it('of two nodes with different secrets neither seals, both send, and the operator is told', () =>
    afterPublishing(async (service, ann, former) => {
      await former.stop()
      const nodes = [
        await startNode(service, 'one', keysFrom(NEXT, SECRET)),
        await startNode(service, 'two', keysFrom(TYPO, SECRET)),
      ]
      for (const node of nodes) assert.deepEqual(await node.report(), { maySeal: false, maySend: true })
      const { step, next } = judgeRotation(await readRotationState(service.database))
      assert.equal(step, 'fix')
      assert.match(next, /^Give one \(.*\), two \(.*\) the same APP_SECRET, and restart: each refuses/)
      await nodes[1]?.stop()
      assert.deepEqual(await nodes[0]?.report(), FULL)
      assert.equal((await verifyAudit(ann)).valid, true)
    }))

  it('a node with an entirely different secret leaves emails to one that only accepts the former secret', () =>
    afterPublishing(async (service, _ann, former) => {
      await former.stop()
      const swapped = await startNode(service, 'one', keysFrom(NEXT, SECRET))
      const wrong = await startNode(service, 'two', keysFrom(OTHER))
      assert.deepEqual([await swapped.report(), await wrong.report()], [FULL, PAUSED])
    }))
})

describe('the only node', () => {
  /** A service that had another secret, of which one log is signed. */
  const afterOthers = (keys: Keys, check: (node: Node, service: TestApp) => Promise<void>) =>
    withService(async (service) => {
      const former = await startNode(service, 'one', keysFrom(SECRET))
      const ann = await signUp(service.client)
      await sealCompany(former.deps, ann.company.id)
      await former.stop()
      await check(await startNode(service, 'one', keys), service)
    })

  it('seals and sends with the secret of before, with one that was rotated, and on an empty database', async () => {
    await withService(async (service) => {
      assert.deepEqual(await (await startNode(service, 'one', keysFrom(SECRET))).report(), FULL)
    })
    for (const keys of [keysFrom(SECRET), keysFrom(OTHER, SECRET)])
      await afterOthers(keys, async (node) => {
        assert.deepEqual(await node.report(), FULL)
        assert.deepEqual(node.lines, [])
      })
  })

  it('with a secret that was replaced without a rotation serves and sends, and seals new logs after a day', () =>
    afterOthers(keysFrom(OTHER), async (node, service) => {
      assert.deepEqual(await node.report(), { maySeal: false, maySend: true })
      await age(service, '23 hours')
      assert.equal((await node.report()).maySeal, false)
      await age(service, '1 hour')
      assert.deepEqual(await node.report(), FULL)
    }))

  it('is warned as well when the service had stood still for long', () =>
    withService(async (service) => {
      const former = await startNode(service, 'one', keysFrom(SECRET))
      const ann = await signUp(service.client)
      await sealCompany(former.deps, ann.company.id)
      await former.stop()
      await age(service, '1 year')
      const node = await startNode(service, 'one', keysFrom(OTHER))
      assert.deepEqual(await node.report(), { maySeal: false, maySend: true })
    }))
})

it('a process with another APP_SECRET serves, names the cause before it does, and signs no audit log', () =>
  withService(async (service) => {
    await startNode(service, 'one', keysFrom(SECRET))
    const ann = await signUp(service.client)
    const wrong = await startProcess(service, { settings: { APP_SECRET: OTHER, APP_SECRET_PREVIOUS: PRINTED_SECRET } })
    try {
      assert.ok(wrong.printed.some((line) => line.includes('an example that everybody knows')))
      const told = () => wrong.printed.find((line) => line.includes('not the one of the service'))
      await until(() => told() !== undefined)
      const { level, msg } = JSON.parse(told() as string)
      assert.equal(level, 50)
      assert.match(msg, /, with which one signs\./)
      const { accessToken } = await signIn(wrong.client, ann.email)
      const asked = await wrong.client.get('/companies/audit/verify', { token: accessToken, company: ann.company.id })
      assert.equal(asked.status, 200)
      const [lease] = await service.db.query('select expires_at < now() as is_free from audit_lease')
      const sealed = await service.db.query('select from audit_records where seq is not null')
      assert.deepEqual([lease?.is_free, sealed.length], [true, 0])
    } finally {
      await wrong.close()
    }
  }))
