import assert from 'node:assert/strict'
import { it } from 'node:test'
import { actionsIn } from '../console/src/pages/audit/catalogue.ts'
import texts from '../console/src/texts/en/audit.ts'
import { auditActions, auditTargetTypes } from '../src/access/actions.ts'
import { faultReasons } from '../src/features/audit/chain/verifier.ts'
import { auditOutcomes } from '../src/features/audit/outcomes.ts'

/** What people do outside of companies: the log of a company has none of it. */
const RESOURCES_OUTSIDE = ['accounts', 'factors', 'health', 'passwords', 'sessions']
const OUTSIDE = [
  'companies.list',
  'companies.list_joinable',
  'invitation_links.preview',
  'invitations.list_own',
  'invitations.preview',
  'invitations.register',
  'join_requests.list_own',
]

it('the console has words for every action in the log of a company', () => {
  const inCompanies = auditActions.filter(
    (action) => !RESOURCES_OUTSIDE.includes(action.split('.')[0] as string) && !OUTSIDE.includes(action),
  )
  assert.deepEqual(actionsIn(texts).sort(), inCompanies.sort())
})

it('the console has words for nothing that the log never says', () => {
  const said = (words: object, known: readonly string[]) =>
    assert.deepEqual(
      Object.keys(words).filter((word) => !known.includes(word)),
      [],
    )
  said(texts.outcomes, auditOutcomes)
  said(texts.subjects, auditTargetTypes)
  said(texts.seal.reasons, [...faultReasons, 'other'])
  said(texts.groups, Object.keys(texts.tasks))
})
