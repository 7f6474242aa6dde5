import type { Deps } from '../../deps.ts'
import { NoData } from '../../http/envelope.ts'
import type { Api } from '../../http/routes.ts'
import { LinkToken } from './schemas.ts'
import { checkFactorUndo, undoFactorChange } from './undo-factor-change.ts'

/** For the page behind “This wasn’t me” in emails about second factors. */
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
}
