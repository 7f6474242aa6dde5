import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addRecords, verifyAudit } from '../../../test/support/audit.ts'
import { createBranch } from '../../../test/support/branches.ts'
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
async function walk({ api }: Person, query: string, from = ''): Promise<Shown[]> {
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

describe('the list of the audit', () => {
  it('tells who did what to whom, from where, and what changed, the newest first', async () => {
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
      actor: { id: ann.id, name: ann.name, email: ann.email },
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

  it('tells what was refused', async () => {
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

  it('is walked without a gap or a repetition, sealed and unsealed records alike, whatever is recorded meanwhile', async () => {
    const ann = await signUp(service.client)
    await addRecords(service, ann.company.id, 60)
    await verifyAudit(ann)
    await addRecords(service, ann.company.id, 60) // At the very same times.
    const all = await list(ann, '?limit=100')
    const first = (await ann.api.get('/companies/audit?limit=7')).body
    await addMember(ann)
    const items = [...first.data, ...(await walk(ann, 'limit=7', first.nextCursor))]
    assert.equal(items.length, new Set(items.map(({ id }) => id)).size)
    assert.equal(items.length, 121)
    assert.deepEqual(items.slice(0, 100), all)
    const inOrder = items.toSorted((a, b) => (a.created_at + a.id < b.created_at + b.id ? 1 : -1))
    assert.deepEqual(items, inOrder)
  })

  it('is filtered by each of its filters, and by all together', async () => {
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
        assert.deepEqual(await walk(ann, `limit=1&${query}`), wanted, query)
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

  it('refuses what is no filter, no limit and no time', async () => {
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

  it('shows a company nothing of another one', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const [own] = await list(ann)
    for (const query of ['', `?actorId=${ann.id}`, `?targetId=${own.target.id}`])
      for (const { actor } of await list(eve, query)) assert.notEqual(actor.id, ann.id)
    assertProblem(await eve.api.get('/companies/audit', { company: ann.company.id }), 403, 'not_a_member')
  })

  it('answers also when a record holds what no record should', async () => {
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

describe('a cursor', () => {
  let ann: Person
  let cursor: string
  before(async () => {
    ann = await signUp(service.client)
    await addRecords(service, ann.company.id, 5)
    cursor = (await ann.api.get('/companies/audit?limit=2&action=branches.update')).body.nextCursor
  })
  const refused = async (by: Person, query: string) =>
    assertProblem(await by.api.get(`/companies/audit?${query}`), 400, 'cursor_invalid')

  it('goes on with another limit, and on the last page there is none', async () => {
    const { body } = await ann.api.get(`/companies/audit?limit=3&action=branches.update&cursor=${cursor}`)
    assert.equal(body.data.length, 3)
    assert.deepEqual([body.nextCursor, body.hasNext, body.limit], [null, false, 3])
  })

  it('holds good for its filter alone', async () => {
    for (const query of [
      '',
      'action=branches.delete',
      'action=branches.update&outcome=done',
      'outcome=done',
      'targetType=branch',
    ])
      await refused(ann, `${query}&cursor=${cursor}`)
  })

  it('holds good for its company alone', async () => {
    await refused(await signUp(service.client), `action=branches.update&cursor=${cursor}`)
    const other = await ann.api.post('/companies', { name: 'Another', taxId: '2' })
    const there = { ...ann, api: ann.api.with({ company: other.body.data.id }) }
    await refused(there, `action=branches.update&cursor=${cursor}`)
  })

  it('can not be made, changed or spelt in another way', async () => {
    const middle = cursor.length >> 1
    const flipped = cursor[middle] === 'A' ? 'B' : 'A'
    const forged = Buffer.concat([Buffer.alloc(16), Buffer.from('["2030-01-01T00:00:00.000Z","x"]')]).toString(
      'base64url',
    )
    const bad = [
      'x',
      'null',
      '%00',
      '[]',
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
      `${cursor}%20`,
      cursor.slice(0, middle) + flipped + cursor.slice(middle + 1),
      cursor.toUpperCase(),
      forged,
      cursor.slice(0, 21),
      `.${cursor}`,
    ]
    for (const each of bad) await refused(ann, `action=branches.update&cursor=${each}`)
  })
})

describe('how long records are kept', () => {
  it('is for ever until somebody sets it, and that is on record', async () => {
    const ann = await signUp(service.client)
    const read = async () => (await ann.api.get('/companies/audit/settings')).body.data
    assert.deepEqual(await read(), { retentionDays: null })
    for (const retentionDays of [30, 3650, null]) {
      const { status, body } = await ann.api.patch('/companies/audit/settings', { retentionDays })
      assert.deepEqual([status, body.data], [200, { retentionDays }])
      assert.deepEqual(await read(), { retentionDays })
    }
    assert.deepEqual((await ann.api.patch('/companies/audit/settings', {})).body.data, { retentionDays: null })
    const records = await list(ann, '?action=audit.update_settings')
    assert.deepEqual(
      records.map(({ changes }) => changes.retentionDays),
      [
        { from: 3650, to: null },
        { from: 30, to: 3650 },
        { from: null, to: 30 },
      ],
    )
  })

  it('has bounds', async () => {
    const ann = await signUp(service.client)
    for (const retentionDays of [29, 3651, 0, -1, 30.5, '30', true, [], 1e308])
      assertProblem(await ann.api.patch('/companies/audit/settings', { retentionDays }), 400, 'validation_failed')
    assert.equal((await list(ann, '?action=audit.update_settings')).length, 0)
  })

  it('is read by who may read the audit, and set by who may change the company', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client), ['Manager'])
    assert.equal((await bob.api.get('/companies/audit/settings')).status, 200)
    const answer = await bob.api.patch('/companies/audit/settings', { retentionDays: 30 })
    assertProblem(answer, 403, 'permission_missing')
    assert.equal(answer.body.required, 'companies:update')
  })
})

describe('a record of much', () => {
  it('is shortened to about 8 kB, and says how much it leaves out', async () => {
    const ann = await signUp(service.client)
    const ids: string[] = []
    for (let index = 0; index < 40; index++)
      ids.push((await createBranch(ann, { name: `${String(index).padStart(3, '0')}${'𠀀'.repeat(97)}` })).id)
    const bob = await addMember(ann)
    for (const branchIds of [ids.slice(0, 20), ids.slice(20)]) {
      const { status, body } = await ann.api.patch(`/companies/users/${bob.id}`, { branchIds })
      assert.equal(status, 200, JSON.stringify(body))
    }

    const [record] = (await ann.api.get('/companies/audit?action=users.update')).body.data
    assert.ok(Buffer.byteLength(JSON.stringify(record.changes)) < 8500)
    for (const list of Object.values(record.changes.branches) as string[][]) {
      assert.ok(list.length > 5 && list.length < 20)
      assert.match(list.at(-1) as string, new RegExp(`^… and ${20 - list.length + 1} more$`))
      assert.match(list[0] as string, /^\d{3}𠀀{97}$/u)
    }
    assert.equal((await verifyAudit(ann)).valid, true)
  })
})
