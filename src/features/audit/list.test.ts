import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addRecords, verifyAudit } from '../../../test/support/audit.ts'
import { addMember, join } from '../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()

// biome-ignore lint/suspicious/noExplicitAny: a record, as a client sees it.
type Shown = any

const list = async ({ api }: Person, query = ''): Promise<Shown[]> => {
  const { status, body } = await api.get(`/companies/audit${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

/** All pages of a list, by their cursors. */
async function allPages({ api }: Person, query: string, from = ''): Promise<Shown[]> {
  const items: Shown[] = []
  for (let cursor = from && `&cursor=${from}`; ; ) {
    const { status, body } = await api.get(`/companies/audit?${query}${cursor}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.hasNext, body.nextCursor !== null)
    items.push(...body.data)
    if (!body.hasNext) return items
    cursor = `&cursor=${body.nextCursor}`
  }
}

describe('the list of audit log records', () => {
  it('has actor, target, changes, address and time of each action, newest first', async () => {
    const ann = await signUp(service.client)
    const bob = await addMember(ann, { name: 'Bob' })
    const answer = await ann.api.patch(
      `/companies/users/${bob.id}`,
      { position: 'Clerk' },
      { headers: { 'user-agent': 'A browser' } },
    )

    const [record, ...older] = await list(ann)
    assert.deepEqual(record, {
      id: record.id,
      action: 'users.update',
      actor: { id: ann.id, kind: 'person', name: ann.name, email: ann.email },
      via: { type: 'session', id: ann.sessionId },
      target: { type: 'member', id: bob.id, label: record.target.label },
      changes: { position: { from: '', to: 'Clerk' } },
      outcome: 'done',
      ip: '127.0.0.1',
      user_agent: 'A browser',
      request_id: answer.headers.get('x-request-id'),
      created_at: record.created_at,
    })
    assert.match(record.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(older[0].action, 'users.add')
    assert.deepEqual(older[0].changes, { roles: { to: ['Member'] } })
  })

  it('includes refused actions', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    assertProblem(await bob.api.get('/companies/audit'), 403, 'permission_missing')
    assertProblem(await ann.api.delete(`/companies/users/${ann.id}`), 422, 'last_owner')
    const refused = (await list(ann)).filter(({ outcome }) => outcome !== 'done')
    assert.deepEqual(
      refused.map(({ action, outcome, actor }) => ({ action, outcome, by: actor.id })),
      [
        { action: 'users.detach', outcome: 'last_owner', by: ann.id },
        { action: 'audit.list', outcome: 'permission_missing', by: bob.id },
      ],
    )
  })

  it('has no gap and no repetition between pages, sealed or not, also while records are added', async () => {
    const ann = await signUp(service.client)
    await addRecords(service, ann.company.id, 60)
    await verifyAudit(ann)
    await addRecords(service, ann.company.id, 60) // At the very same times.
    const all = await list(ann, '?limit=100')
    const first = (await ann.api.get('/companies/audit?limit=7')).body
    await addMember(ann)
    const items = [...first.data, ...(await allPages(ann, 'limit=7', first.nextCursor))]
    assert.equal(items.length, new Set(items.map(({ id }) => id)).size)
    assert.equal(items.length, 121)
    assert.deepEqual(items.slice(0, 100), all)
    const inOrder = items.toSorted((a, b) => (a.created_at + a.id < b.created_at + b.id ? 1 : -1))
    assert.deepEqual(items, inOrder)
  })

  it('can be filtered by each field, and by all together', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client), ['Admin'])
    const carl = await addMember(bob)
    await ann.api.patch(`/companies/users/${carl.id}`, { position: 'Clerk' })
    await bob.api.delete(`/companies/users/${ann.id}`)
    for (const isSealed of [false, true]) {
      if (isSealed) await verifyAudit(ann)
      const all = await list(ann, '?limit=100')
      const middle = all[2].created_at
      const filters: Record<string, (record: Shown) => boolean> = {
        [`actorId=${bob.id}`]: ({ actor }) => actor.id === bob.id,
        [`actorId=${bob.id.toUpperCase()}`]: ({ actor }) => actor.id === bob.id,
        'action=users.add': ({ action }) => action === 'users.add',
        'targetType=member': ({ target }) => target.type === 'member',
        [`targetId=${carl.id}`]: ({ target }) => target.id === carl.id,
        'outcome=done': ({ outcome }) => outcome === 'done',
        'outcome=target_exceeds_permissions': ({ outcome }) => outcome === 'target_exceeds_permissions',
        [`from=${middle}`]: ({ created_at }) => created_at >= middle,
        [`to=${middle}`]: ({ created_at }) => created_at <= middle,
        [`from=${middle}&to=${middle}`]: ({ created_at }) => created_at === middle,
        [`from=${encodeURIComponent(middle.replace('Z', '+00:00'))}`]: ({ created_at }) => created_at >= middle,
        [`actorId=${ann.id}&action=users.update&targetType=member&targetId=${carl.id}&outcome=done&from=${all.at(-1).created_at}`]:
          ({ action }) => action === 'users.update',
      }
      for (const [query, isWanted] of Object.entries(filters)) {
        const wanted = all.filter(isWanted)
        assert.ok(wanted.length > 0 && wanted.length < all.length, query)
        assert.deepEqual(await list(ann, `?limit=100&${query}`), wanted, query)
        assert.deepEqual(await allPages(ann, `limit=1&${query}`), wanted, query)
      }
      for (const query of [
        'action=roles.delete',
        'outcome=last_owner',
        'targetType=branch',
        `targetId=${ann.company.slug}`,
        `actorId=${ann.company.id}`,
        'to=2020-01-01T00:00:00Z',
      ])
        assert.deepEqual(await list(ann, `?${query}`), [], query)
    }
  })

  it('refuses invalid filters, limits and times', async () => {
    const ann = await signUp(service.client)
    const bad = [
      'limit=0',
      'limit=101',
      'limit=x',
      'actorId=x',
      'from=x',
      'from=2024-01-01',
      'to=2024-01-01T00:00:00',
      'to=0000-01-01T00:00:00Z',
      'to=9999-12-31T23:59:59-14:00',
      'from=2024-02-30T00:00:00Z',
      'from=2024-01-02T00:00:00Z&to=2024-01-01T00:00:00Z',
      'action=users',
      `targetId=${'x'.repeat(65)}`,
      'outcome=DONE',
      'targetType=person',
      `cursor=${'A'.repeat(513)}`,
    ]
    for (const query of bad) assertProblem(await ann.api.get(`/companies/audit?${query}`), 400, 'validation_failed')
  })

  it('contains no records of another company', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const [own] = await list(ann)
    for (const query of ['', `?actorId=${ann.id}`, `?targetId=${own.target.id}`])
      for (const { actor } of await list(eve, query)) assert.notEqual(actor.id, ann.id)
    assertProblem(await eve.api.get('/companies/audit', { company: ann.company.id }), 403, 'not_a_member')
  })

  it('is returned also when a record was changed by hand to invalid values', async () => {
    const ann = await signUp(service.client)
    for (const changes of [
      '[1]',
      '"x"',
      '7',
      'null',
      '{"a": 1, "b": {"from": {"c": [1, {}]}, "to": [1, null, "x"]}, "__proto__": {"to": {}}}',
    ]) {
      await service.db.query(`update audit_records set changes = $2 where company_id = $1`, [ann.company.id, changes])
      assert.equal((await ann.api.get('/companies/audit')).status, 200, changes)
    }
    const [record] = await list(ann)
    assert.deepEqual(record.changes.b, { from: '{"c":[1,{}]}', to: ['1', 'null', 'x'] })
  })
})
