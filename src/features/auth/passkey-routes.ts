import { z } from 'zod'
import { FRESH } from '../../access/freshness.ts'
import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { PasskeyRequestOptions } from '../../lib/passkey-requests.ts'
import { MAILBOX_PROBLEMS } from '../accounts/confirm-mailbox.ts'
import { MailboxConfirmation } from '../accounts/schemas.ts'
import { showsUnusedCodes } from './factors.ts'
import { signInWithPasskey, startPasskeySignIn } from './passkey-sign-in.ts'
import { addPasskey, startPasskey } from './passkeys.ts'
import { opensSession } from './refresh-replay.ts'
import { AddedFactor, PasskeyAddition, PasskeyCreation, PasskeySignIn, SignedIn } from './schemas.ts'

export function passkeys(api: Api, deps: Deps): void {
  api.post(
    '/auth/passkeys/options',
    {
      access: 'anyone',
      action: 'sessions.ask_for_passkey',
      limit: { name: 'passkey-options', requests: 10, perSeconds: 60 },
      docs: {
        operationId: 'startPasskeySignIn',
        summary: 'Start signing in with a passkey',
        description:
          'Returns options for `navigator.credentials.get()`, also for the list under a field with `autocomplete="username webauthn"`. They are the same for everyone and valid for 5 minutes.',
        tag: 'Sign up and sign in',
      },
      response: {
        data: z
          .object({ challenge: z.string().describe('Goes into the sign-in.'), options: PasskeyRequestOptions })
          .meta({ id: 'PasskeyRequest' }),
      },
    },
    ({ caller }) => startPasskeySignIn(deps, caller),
  )

  api.post(
    '/auth/passkeys/login',
    {
      access: 'anyone',
      action: 'sessions.create',
      limit: { name: 'login', requests: 5, perSeconds: 60 },
      docs: {
        operationId: 'signInWithPasskey',
        summary: 'Sign in with a passkey',
        description:
          'Starts a session without a password. A passkey counts as both factors, because its device has verified you. Everything that is wrong with it, or with the challenge, gets the same response.',
        tag: 'Sign up and sign in',
      },
      request: { body: PasskeySignIn },
      response: { data: SignedIn },
      ...opensSession(deps, { keyIncludesBody: true }),
      problems: ['second_factor_wrong'],
    },
    ({ body, caller }) => signInWithPasskey(deps, body, caller),
  )

  api.post(
    '/auth/factors/passkeys/options',
    {
      access: 'account',
      fresh: FRESH,
      action: 'factors.start_passkey',
      docs: {
        operationId: 'startPasskey',
        summary: 'Start adding a passkey',
        description:
          'Returns options for `navigator.credentials.create()`, valid for 5 minutes. Before your first second factor your session confirms your mailbox: 403 `mailbox_code_required` says that a code was sent.',
      },
      request: { body: MailboxConfirmation },
      response: { data: PasskeyCreation },
      idempotency: { keyIncludesBody: true },
      problems: [...MAILBOX_PROBLEMS, 'factor_limit_reached'],
    },
    ({ actor, body }) => startPasskey(deps, actor, body),
  )

  api.post(
    '/auth/factors/passkeys',
    {
      access: 'account',
      fresh: FRESH,
      action: 'factors.confirm',
      docs: {
        operationId: 'addPasskey',
        summary: 'Add a passkey',
        description:
          'From now on it signs you in, and signing in with your password asks for a second factor. With the first one you get recovery codes, once: keep them in a safe place. You can have 20.',
      },
      request: { body: PasskeyAddition },
      response: { data: AddedFactor, status: 201, message: 'Passkey added.' },
      idempotency: {
        keyIncludesBody: true,
        secret: { isValid: (data, _, actor) => showsUnusedCodes(deps, data, actor?.accountId), otherwise: 'refuse' },
      },
      problems: [
        'second_factor_wrong',
        'mailbox_code_required',
        'passkey_known',
        'factor_limit_reached',
        'email_limit_reached',
      ],
    },
    ({ actor, body }) => addPasskey(deps, actor, body),
  )
}
