import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { createRole, rolesOf } from '../../../test/support/members.ts'
import { assertProblem } from '../../../test/support/people.ts'
import {
  assertCounted,
  createCrowdedRole,
  createReplacedRole,
  rowsLeft,
  runRolesWorker,
} from '../../../test/support/replaced-roles.ts'
import { until } from '../../../test/support/until.ts'
import { createLog } from '../../process/log.ts'
import { purgeCompanies } from '../companies/purge-companies.ts'
import { startRolesWorker } from './worker.ts'

const service = await useTestApp()
const users = '/companies/users'

it('continues where a worker was stopped between two batches, and leaves no trace of the replaced role', async () => {
  const { ann, bob, desk, clerk, count } = await createReplacedRole(service)
  const left = [await rowsLeft(service, ann)]
  for (let worker = 1; worker <= 3; worker++) {
    await runRolesWorker(service, { batches: 1 })
    left.push(await rowsLeft(service, ann))
    assert.equal((await ann.api.get(clerk.path)).body.data.memberCount, count)
    assert.equal((await ann.api.get(`${users}?roleId=${clerk.id}`)).body.total, count)
    assertProblem(await bob.api.get(users), 403, 'permission_missing')
    await assertCounted(service, ann)
  }
  assert.deepEqual(left, [521, 421, 321, 221])
  const log = createLog('silent')
  const worker = startRolesWorker({ database: service.database, log })
  await until(async () => (await service.db.query('select from roles where id = $1', [desk.id])).length === 0)
  await worker.stop()
  assert.equal(await rowsLeft(service, ann), 0)
  await assertCounted(service, ann)
})

it('rolls a batch back with its connection, and rewrites it later', async () => {
  const { ann, count, clerk } = await createReplacedRole(service)
  await service.db.query(`create function fail_once() returns trigger language plpgsql as $$ begin
      if (select count(*) from old_rows) > 1 then perform pg_terminate_backend(pg_backend_pid()); end if; return null; end $$;
    create trigger fail_once after delete on membership_roles referencing old table as old_rows
      for each statement execute function fail_once()`)
  await assert.rejects(runRolesWorker(service))
  assert.equal(await rowsLeft(service, ann), count)
  await service.db.query('drop function fail_once cascade')
  await assertCounted(service, ann)
  await runRolesWorker(service)
  assert.equal((await ann.api.get(clerk.path)).body.data.memberCount, count)
  await assertCounted(service, ann)
})

it('does the same with several workers, while members are added, changed and detached and roles deleted', async () => {
  const { ann, bob, desk, clerk } = await createCrowdedRole(service)
  const { Member } = await rolesOf(ann)
  const next = await createRole(ann, 'Next', ['roles:read'])
  const crowd = (await ann.api.get(`${users}?roleId=${desk.id}&search=crowd&limit=8`)).body.data
  const deleting = [
    ann.api.delete(`${desk.path}?reassignTo=${clerk.id}`),
    ann.api.delete(`${clerk.path}?reassignTo=${next.id}`),
  ]
  const assigning = Array.from({ length: 4 }, (_, i) =>
    ann.api.patch(`${users}/${bob.id}`, { roleIds: [[desk.id], [clerk.id], [next.id], [Member, desk.id]][i % 4] }),
  )
  const detaching = crowd.map(({ id }: { id: string }) => ann.api.delete(`${users}/${id}`))
  const working = Array.from({ length: 2 }, () => runRolesWorker(service, { membersAtOnce: 50 }))
  for (const answer of await Promise.all(detaching)) assert.equal(answer.status, 200)
  for (const answer of await Promise.all(assigning))
    if (answer.status !== 200) assertProblem(answer, 422, 'role_unknown')
  const [first, second] = await Promise.all(deleting)
  if (first?.status !== 200) assertProblem(first as never, 422, 'role_unknown')
  assert.equal(second?.status, 200)
  await Promise.all(working)
  await assertCounted(service, ann)

  await Promise.all(Array.from({ length: 4 }, () => runRolesWorker(service, { membersAtOnce: 50 })))
  await runRolesWorker(service)
  assert.equal(await rowsLeft(service, ann), 0)
  await assertCounted(service, ann)
  const { roles } = (await ann.api.get(`${users}/${bob.id}`)).body.data
  assert.ok(roles.length > 0 && !roles.includes('Clerk'), String(roles))
})

it('goes on in a deleted company, which can be restored, and stops for its purge', async () => {
  const { ann, clerk, count } = await createReplacedRole(service)
  const path = `/companies/${ann.company.id}`
  assert.equal((await ann.api.delete(path)).status, 200)
  await runRolesWorker(service, { batches: 2 })
  assert.equal(await rowsLeft(service, ann), count - 200)
  assert.equal((await ann.api.post(`${path}/restore`)).status, 200)
  assert.equal((await ann.api.get(clerk.path)).body.data.memberCount, count)

  assert.equal((await ann.api.delete(path)).status, 200)
  await service.db.query(`update companies set deleted_at = deleted_at - interval '31 days' where id = $1`, [
    ann.company.id,
  ])
  const purged: string[] = []
  const purge = {
    signal: new AbortController().signal,
    onPurged: (company: string) => purged.push(company),
    onFailure: (error: Error) => assert.fail(error),
    rowsAtOnce: 50,
  }
  await Promise.all([purgeCompanies(service.database, purge), runRolesWorker(service, { membersAtOnce: 20 })])
  assert.deepEqual(purged, [ann.company.id])
  const rest = await service.db.query('select from roles where company_id = $1', [ann.company.id])
  assert.equal(rest.length, 0)
})
