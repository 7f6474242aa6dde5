import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ACTIONS } from '../console/src/pages/audit/catalogue.ts'
import { auditActions } from '../src/access/actions.ts'

/** What people do outside of companies: the log of a company has none of it. */
const RESOURCES_OUTSIDE = ['accounts', 'factors', 'health', 'passwords', 'sessions']
const OUTSIDE = [
  'companies.list',
  'companies.list_joinable',
  'invitations.list_own',
  'invitations.preview',
  'invitations.register',
  'join_requests.list_own',
]

it('the console has words for every action in the log of a company', () => {
  const inCompanies = auditActions.filter(
    (action) => !RESOURCES_OUTSIDE.includes(action.split('.')[0] as string) && !OUTSIDE.includes(action),
  )
  assert.deepEqual([...ACTIONS].sort(), inCompanies.sort())
})
