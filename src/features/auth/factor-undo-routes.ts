import type { Deps } from '../../deps.ts'
import { NoData } from '../../http/envelope.ts'
import type { Api } from '../../http/routes.ts'
import { cancelFactorReset, checkFactorReset } from './reset-factors.ts'
import { LinkToken } from './schemas.ts'
import { checkFactorUndo, undoFactorChange } from './undo-factor-change.ts'

/** For the pages behind “This wasn’t me” and “Cancel” in emails about second factors. */
export function factorUndos(api: Api, deps: Deps): void {
  api.post(
    '/auth/undo-factor-change',
    {
      access: 'anyone',
      action: 'factors.undo',
      limit: { name: 'undo-factor-change', requests: 10, perSeconds: 60 },
      docs: {
        operationId: 'undoFactorChange',
        summary: 'Undo a change of second factors',
        description:
          'Takes the token from the email about the change, valid for 3 days and once. Removes the factors added by it and since, and all recovery codes, ends all sessions, removes the password, and emails a link to choose a new password. Factors of before stay.',
        tag: 'Second factor',
      },
      request: { body: LinkToken },
      response: { data: NoData, message: 'The change is undone. We’ve emailed you a link to choose a new password.' },
      problems: ['link_invalid'],
    },
    ({ body, caller }) => undoFactorChange(deps, body.token, caller),
  )

  api.post(
    '/auth/undo-factor-change/check',
    {
      access: 'anyone',
      action: 'factors.check_undo_link',
      limit: { name: 'undo-factor-change-check', requests: 10, perSeconds: 60 },
      docs: {
        operationId: 'checkFactorUndo',
        summary: 'Check a link to undo a change of second factors',
        description: 'Returns 200 if the link can be used now. The link stays valid.',
        tag: 'Second factor',
      },
      request: { body: LinkToken },
      response: { data: NoData, message: 'The link is valid.' },
      problems: ['link_invalid'],
    },
    ({ body }) => checkFactorUndo(deps, body.token),
  )

  api.post(
    '/auth/cancel-factor-reset',
    {
      access: 'anyone',
      action: 'factors.cancel_reset',
      limit: { name: 'cancel-factor-reset', requests: 10, perSeconds: 60 },
      docs: {
        operationId: 'cancelFactorReset',
        summary: 'Cancel the removal of all second factors',
        description:
          'Takes the token from the email in which an operator announces that all second factors of the account will be removed. It is valid until then, at least 24 hours, and once. Nothing is removed, and nothing else changes.',
        tag: 'Second factor',
      },
      request: { body: LinkToken },
      response: { data: NoData, message: 'Cancelled. Your second factors stay.' },
      problems: ['link_invalid'],
    },
    ({ body, caller }) => cancelFactorReset(deps, body.token, caller),
  )

  api.post(
    '/auth/cancel-factor-reset/check',
    {
      access: 'anyone',
      action: 'factors.check_reset_link',
      limit: { name: 'cancel-factor-reset-check', requests: 10, perSeconds: 60 },
      docs: {
        operationId: 'checkFactorReset',
        summary: 'Check a link to cancel the removal of all second factors',
        description: 'Returns 200 if the link can be used now. The link stays valid.',
        tag: 'Second factor',
      },
      request: { body: LinkToken },
      response: { data: NoData, message: 'The link is valid.' },
      problems: ['link_invalid'],
    },
    ({ body }) => checkFactorReset(deps, body.token),
  )
}
