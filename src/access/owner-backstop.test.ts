import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../test/support/app.ts'
import { createRole, rolesOf } from '../../test/support/members.ts'
import { signUp } from '../../test/support/people.ts'
import { inCompany } from '../database/scopes.ts'

const service = await useTestApp()
const { query, waitForLock } = service.db

it('keeps a company its owner, of whom two transactions each take one of two roles of owners', async () => {
  const ann = await signUp(service.client)
  const { Owner } = await rolesOf(ann)
  const { id } = await createRole(ann, 'Trainee', [])
  // As until the worker has exchanged the roles of its members.
  await query('insert into membership_roles (company_id, account_id, role_id) values ($1, $2, $3)', [
    ann.company.id,
    ann.id,
    id,
  ])
  await query('update roles set replaced_by = $1 where id = $2', [Owner, id])
  const take = (roleId: string) =>
    service.database.write(inCompany(ann.company.id, ann.id), (tx) =>
      tx.deleteFrom('membership_roles').where('account_id', '=', ann.id).where('role_id', '=', roleId).execute(),
    )
  await query('begin')
  await query('select from companies where id = $1 for no key update', [ann.company.id])
  const taking = Promise.allSettled([take(Owner as string), take(id)])
  await waitForLock(2)
  await query('commit')
  assert.deepEqual((await taking).map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  assert.equal((await query('select from membership_roles where account_id = $1', [ann.id])).length, 1)
})
