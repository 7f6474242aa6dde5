import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { createBranch } from '../../../test/support/branches.ts'
import * as catalogue from '../../../test/support/catalogue.ts'
import { plantDomain } from '../../../test/support/domains.ts'
import { invite } from '../../../test/support/invitations.ts'
import { addMember, join } from '../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'
import { createLog } from '../../process/log.ts'
import { startHousekeeping } from '../housekeeping/worker.ts'
import { purgeCompanies } from './purge-companies.ts'

const service = await useTestApp()
const tables = await catalogue.tablesOfCompanies(service.db)

const at = ({ company }: Person) => `/companies/${company.id}`
const restore = (person: Person) => person.api.post(`${at(person)}/restore`)

/** Purges the companies that are due, and returns their ids. */
async function purge(rowsAtOnce?: number, signal = new AbortController().signal): Promise<string[]> {
  const purged: string[] = []
  await purgeCompanies(service.database, {
    signal,
    onPurged: (company) => purged.push(company),
    onFailure: (error) => assert.fail(error),
    ...(rowsAtOnce && { rowsAtOnce }),
  })
  return purged
}

/** Deletes a company, and ages the deletion. */
async function closed(person: Person, interval = '30 days'): Promise<void> {
  assert.equal((await person.api.delete(at(person))).status, 200)
  await service.db.query(`update companies set deleted_at = deleted_at - $2::interval where id = $1`, [
    person.company.id,
    interval,
  ])
}

/** The number of rows of a company in each table. */
async function rowsOf({ company }: Person): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const [row] = await service.db.query<{ count: number }>(
      `select count(*)::int as count from ${table} where company_id = $1`,
      [company.id],
    )
    counts[table] = row?.count ?? 0
  }
  return counts
}

const isThere = async ({ company }: Person) =>
  (await service.db.query('select from companies where id = $1', [company.id])).length === 1

describe('the tables of a company', () => {
  it('are purged completely: every table with a company_id, and no other', async () => {
    const known = await catalogue.names(
      service.db,
      'select distinct table_name::text as name from company_tables order by 1',
    )
    assert.deepEqual(known, tables)
  })

  it('all have an index that begins with the company, so that a purge reads no whole table', async () => {
    const slow = await catalogue.names(
      service.db,
      `select conrelid::regclass || ' (' || attname || ')' as name
       from pg_constraint fk join pg_attribute on attrelid = conrelid and attnum = conkey[1]
       where contype = 'f' and confrelid = 'companies'::regclass and not exists (
         select from pg_index where indrelid = conrelid and indkey[0] = conkey[1]
           and (indpred is null or pg_get_expr(indpred, indrelid) = '(' || attname || ' IS NOT NULL)'))`,
    )
    assert.deepEqual(slow, [])
  })
})

describe('the purge', () => {
  it('removes a company with all its data, and no data of others', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const [bob, carl] = [await addMember(ann), await join(ann, await signUp(service.client))]
    await join(eve, carl)
    await ann.api.post(`${at(ann)}/ownership-transfer`, { userId: carl.id })
    const south = await createBranch(ann, { parentId: (await createBranch(ann)).id })
    await ann.api.patch(`/companies/users/${bob.id}`, { branchIds: [south.id] })
    await ann.api.delete(`/companies/users/${(await addMember(ann)).id}`)
    await ann.api.delete(`/companies/users/${(await join(ann, await signUp(service.client), ['Owner'])).id}`)
    await invite(ann, { roles: ['Member'], branchIds: [south.id] })
    await ann.api.post('/companies/invitation-links', {})
    await ann.api.patch('/companies/audit/settings', { retentionDays: 30 })
    await plantDomain(service, ann, eve)
    assert.equal((await ann.api.get('/companies/audit/verify')).body.data.valid, true)
    const others = await rowsOf(eve)
    await closed(ann)
    const [emails] = await service.db.query('select count(*)::int from emails')
    const { ownership_offers: offers, ...rest } = await rowsOf(ann)
    assert.equal(offers, 0)
    for (const [table, rows] of Object.entries(rest))
      assert.ok(rows > 0, `${table} has no row: this proves nothing of it`)

    assert.deepEqual(await purge(), [ann.company.id])
    assert.equal(await isThere(ann), false)
    assert.deepEqual([...new Set(Object.values(await rowsOf(ann)))], [0])
    assert.deepEqual(await rowsOf(eve), others)
    assert.deepEqual(await service.db.query('select count(*)::int from emails'), [emails])
    const accounts = await service.db.query('select managed_by from accounts where id = any ($1)', [
      [ann.id, bob.id, carl.id],
    ])
    assert.deepEqual(accounts, [{ managed_by: null }, { managed_by: null }, { managed_by: null }])
    assert.equal((await carl.api.get('/auth/me')).body.data.tenants.length, 2)
    assertProblem(await restore(ann), 404, 'company_not_found')
    assertProblem(await ann.api.get(at(ann)), 404, 'company_not_found')
    assert.deepEqual(await purge(), [])
  })

  it('keeps active companies and those that can be restored', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    await closed(eve, '29 days 23:59:00')
    assert.deepEqual(await purge(), [])
    assert.deepEqual([await isThere(ann), await isThere(eve)], [true, true])
    assert.equal((await restore(eve)).status, 200)
  })

  it('works in small batches, continues after an interruption, and prevents a restore once it has started', async () => {
    const ann = await signUp(service.client)
    for (let i = 0; i < 6; i++) await addMember(ann)
    await closed(ann)
    const breaking = new AbortController()
    const [before] = await service.db.query<{ count: number }>(
      'select count(*)::int as count from membership_roles where company_id = $1',
      [ann.company.id],
    )
    const database = new Proxy(service.database, {
      get: (target, name) =>
        name === 'write'
          ? async (...args: Parameters<typeof target.write>) => {
              const result = await target.write(...args)
              if (typeof result === 'number') breaking.abort()
              return result
            }
          : Reflect.get(target, name),
    })
    const failed = (error: Error) => assert.fail(error)
    await purgeCompanies(database, { signal: breaking.signal, onPurged: () => {}, onFailure: failed, rowsAtOnce: 2 })
    const [left] = await service.db.query('select count(*)::int as count from membership_roles where company_id = $1', [
      ann.company.id,
    ])
    assert.equal(left?.count, (before?.count ?? 0) - 2)

    await service.db.query('update companies set deleted_at = now() where id = $1', [ann.company.id])
    assertProblem(await restore(ann), 404, 'company_not_found')
    assert.equal((await ann.api.get('/companies?status=deleted')).body.total, 0)
    assert.deepEqual(await purge(2), [ann.company.id])
    assert.equal(await isThere(ann), false)
  })

  it('and a parallel restore: exactly one of them takes effect', async () => {
    for (let round = 0; round < 10; round++) {
      const ann = await signUp(service.client)
      await addMember(ann)
      // The restore started in time and waits; meanwhile the purge has become due.
      await closed(ann, '29 days')
      await service.db.query('begin')
      await service.db.query('select from companies where id = $1 for update', [ann.company.id])
      const restoring = restore(ann)
      await service.db.waitForLock()
      await service.db.query(
        `update companies set deleted_at = clock_timestamp() - company_restore_period() where id = $1`,
        [ann.company.id],
      )
      await service.db.query('commit')
      const [answer] = await Promise.all([restoring, purge(), purge()])
      assert.ok([200, 404].includes(answer.status), String(answer.status))
      await purge()
      assert.equal(await isThere(ann), answer.status === 200)
      if (answer.status === 200) assert.equal((await ann.api.get('/companies/users')).body.total, 2)
    }
  })

  it('runs once with several parallel workers', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => signUp(service.client)))
    for (const person of people) await closed(person)
    const purged = (await Promise.all([purge(1), purge(1), purge(1)])).flat()
    for (const person of people) assert.equal(await isThere(person), false)
    assert.ok(purged.length >= people.length)
  })

  it('reserves the slug for 90 more days', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const { slug } = ann.company
    await closed(ann)
    await purge()
    const take = () => eve.api.patch(at(eve), { slug })
    assertProblem(await take(), 409, 'slug_taken')
    assertProblem(await ann.api.post('/companies', { name: 'Again', taxId: '1', slug }), 409, 'slug_taken')
    await service.db.query(`update slugs set reserved_until = reserved_until - interval '90 days' where slug = $1`, [
      slug,
    ])
    assert.equal((await take()).status, 200)
  })

  it('continues with other companies when one fails', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    await closed(ann)
    await closed(eve)
    await service.db.query(`create table holding (id uuid references companies)`)
    await service.db.query(`insert into holding values ($1)`, [ann.company.id])
    const failures: string[] = []
    await purgeCompanies(service.database, {
      signal: new AbortController().signal,
      onPurged: () => {},
      onFailure: (_, company) => failures.push(company),
    })
    assert.deepEqual(failures, [ann.company.id])
    assert.deepEqual([await isThere(ann), await isThere(eve)], [true, false])
    await service.db.query('drop table holding')
    assert.deepEqual(await purge(), [ann.company.id])
  })

  it('goes on at once while more are due, and not with those alone that fail', async () => {
    const people: Person[] = []
    for (let i = 0; i < 5; i++) people.push(await signUp(service.client))
    for (const person of people) await closed(person)
    const broken = people.slice(0, 2).map(({ company }) => company.id)
    await service.db.query(`create table holding (id uuid references companies)`)
    await service.db.query(`insert into holding select unnest($1::uuid[])`, [broken])
    const rounds: { purged: string[]; failed: string[] }[] = []
    for (let isMoreLeft = true; isMoreLeft; ) {
      const purged: string[] = []
      const failed: string[] = []
      const result = await purgeCompanies(service.database, {
        signal: new AbortController().signal,
        onPurged: (company) => purged.push(company),
        onFailure: (_, company) => failed.push(company),
        companiesAtOnce: 2,
      })
      rounds.push({ purged, failed })
      isMoreLeft = result.isMoreLeft
    }
    const others = people.slice(2).map(({ company }) => company.id)
    assert.deepEqual(rounds.flatMap(({ purged }) => purged).sort(), others.sort())
    assert.deepEqual([rounds.at(-1)?.purged, new Set(rounds.at(-1)?.failed)], [[], new Set(broken)])
    await service.db.query('drop table holding')
    assert.deepEqual((await purge()).sort(), broken.sort())
  })

  it('lets the managing company reset a password again once the other company is purged', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const bob = await addMember(ann)
    await eve.api.post('/companies/users', { name: 'B', email: bob.email })
    await service.db.query('update memberships set opened_at = now() where company_id = $1', [eve.company.id])
    await closed(eve)
    const reset = () => ann.api.post(`/companies/users/${bob.id}/reset-password`)
    assertProblem(await reset(), 403, 'account_not_managed')
    await purge()
    assert.equal((await reset()).status, 200)
  })

  it('is a part of housekeeping, which logs it and can be stopped', async () => {
    const ann = await signUp(service.client)
    await closed(ann)
    let told: (line: string) => void = () => {}
    const line = new Promise<string>((resolve) => {
      told = resolve
    })
    const log = createLog('info', { write: (text: string) => text.includes('deleted company purged') && told(text) })
    const housekeeping = startHousekeeping({
      config: service.parts.config,
      database: service.database,
      keys: service.keys,
      log,
      keyUse: { maySeal: true },
      firstRoundMs: 0,
    })
    const first = await line.finally(() => housekeeping.stop())
    assert.equal(JSON.parse(first).company, ann.company.id)
    assert.equal(await isThere(ann), false)
  })
})
