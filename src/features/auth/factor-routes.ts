import { z } from 'zod'
import { FRESH, WITH_FACTOR } from '../../access/freshness.ts'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { MAILBOX_PROBLEMS } from '../accounts/confirm-mailbox.ts'
import { Factor, OneFactor } from '../accounts/factors/schemas.ts'
import { isPending } from '../accounts/factors/totp-factors.ts'
import {
  confirmFactor,
  createRecoveryCodes,
  getFactors,
  removeFactor,
  showsUnusedCodes,
  startTotp,
  updateFactor,
} from './factors.ts'
import {
  AddedFactor,
  Factors,
  FactorUpdate,
  NewTotp,
  RecoveryCodes,
  SteppedUp,
  StepUp,
  StepUpOptions,
  TotpConfirmation,
  TotpStart,
} from './schemas.ts'
import { startStepUp, stepUp } from './step-up.ts'

export function factors(api: Api, deps: Deps): void {
  const scopeOf = (accountId: string) => deps.database.autocommit(asAccount(accountId))

  api.get(
    '/auth/factors',
    {
      access: 'account',
      action: 'factors.list',
      docs: {
        operationId: 'listFactors',
        summary: 'List my second factors',
        description:
          'And how many recovery codes you have left, and which of your companies ask you for a second factor.',
      },
      response: { data: Factors },
    },
    ({ actor }) => getFactors(deps, actor),
  )

  api.post(
    '/auth/factors/totp',
    {
      access: 'account',
      fresh: FRESH,
      action: 'factors.create',
      docs: {
        operationId: 'startTotp',
        summary: 'Add an authenticator app',
        description:
          'Gives a new secret for the app. Confirm it with a code of the app within 10 minutes; until then it counts for nothing. You can have two.',
      },
      request: { body: TotpStart },
      response: { data: NewTotp, status: 201 },
      idempotency: {
        keyIncludesBody: true,
        secret: { isValid: ({ id }, _, actor) => isPending(scopeOf(actor?.accountId ?? ''), id), otherwise: 'repeat' },
      },
      problems: [...MAILBOX_PROBLEMS, 'factor_limit_reached'],
    },
    ({ actor, body }) => startTotp(deps, actor, body),
  )

  api.post(
    '/auth/factors/totp/:factorId/confirm',
    {
      access: 'account',
      fresh: FRESH,
      action: 'factors.confirm',
      docs: {
        operationId: 'confirmTotp',
        summary: 'Confirm an authenticator app',
        description:
          'From now on signing in asks for a second factor. With the first one you get recovery codes, once: keep them in a safe place.',
      },
      request: { params: OneFactor, body: TotpConfirmation },
      response: { data: AddedFactor, message: 'Second factor added.' },
      idempotency: {
        keyIncludesBody: true,
        secret: { isValid: (data, _, actor) => showsUnusedCodes(deps, data, actor?.accountId), otherwise: 'refuse' },
      },
      problems: ['second_factor_wrong', 'factor_not_found', 'mailbox_code_required', 'email_limit_reached'],
    },
    ({ actor, params, body }) => confirmFactor(deps, actor, params.factorId, body.code),
  )

  api.patch(
    '/auth/factors/:factorId',
    {
      access: 'account',
      fresh: WITH_FACTOR,
      action: 'factors.update',
      docs: {
        operationId: 'updateFactor',
        summary: 'Rename a second factor',
        description: 'The name is for you, to tell your factors apart.',
      },
      request: { params: OneFactor, body: FactorUpdate },
      response: { data: Factor, message: 'Second factor renamed.' },
      problems: ['factor_not_found'],
    },
    ({ actor, params, body }) => updateFactor(deps, actor, params.factorId, body),
  )

  api.delete(
    '/auth/factors/:factorId',
    {
      access: 'account',
      fresh: FRESH,
      action: 'factors.delete',
      docs: {
        operationId: 'removeFactor',
        summary: 'Remove a second factor',
        description:
          'Ends the sessions that it opened, except this one, which has to confirm another factor if it has confirmed none that is left. With the last factor your recovery codes stop working, too. It can’t be removed while one of your companies asks for it.',
      },
      request: { params: OneFactor },
      response: { data: z.object({ id: z.uuid() }), message: 'Second factor removed.' },
      problems: ['factor_not_found', 'factor_required', 'email_limit_reached'],
    },
    ({ actor, params }) => removeFactor(deps, actor, params.factorId),
  )

  api.post(
    '/auth/factors/recovery-codes',
    {
      access: 'account',
      fresh: FRESH,
      action: 'factors.create_recovery_codes',
      docs: {
        operationId: 'createRecoveryCodes',
        summary: 'Get new recovery codes',
        description:
          'Ten codes, shown once. Earlier ones stop working, and the sessions that they opened end, except this one.',
      },
      response: { data: RecoveryCodes, status: 201, message: 'Earlier recovery codes no longer work.' },
      idempotency: {
        secret: { isValid: (data, _, actor) => showsUnusedCodes(deps, data, actor?.accountId), otherwise: 'refuse' },
      },
      problems: ['factor_not_found', 'email_limit_reached'],
    },
    ({ actor }) => createRecoveryCodes(deps, actor),
  )

  api.post(
    '/auth/step-up/options',
    {
      access: 'account with any password',
      action: 'sessions.get_step_up_options',
      docs: {
        operationId: 'getStepUpOptions',
        summary: 'Ask how I can confirm that it’s me',
        description: 'With a second factor: by it or a recovery code. Otherwise by your password.',
        tag: 'Second factor',
      },
      response: { data: StepUpOptions },
    },
    ({ actor }) => startStepUp(deps, actor),
  )

  api.post(
    '/auth/step-up',
    {
      access: 'account with any password',
      action: 'sessions.step_up',
      limit: { name: 'step-up', requests: 5, perSeconds: 60 },
      docs: {
        operationId: 'stepUp',
        summary: 'Confirm that it’s me',
        description:
          'For what answers 403 `reauthentication_required`: this session can then do it for some minutes. Takes one of your factors or, if you have none, your password. Other sessions stay as they are.',
        tag: 'Second factor',
      },
      request: { body: StepUp },
      response: { data: SteppedUp, message: 'Confirmed.' },
      idempotency: { keyIncludesBody: true },
      problems: ['second_factor_wrong', 'current_password_wrong', 'too_many_attempts'],
    },
    ({ actor, body }) => stepUp(deps, actor, body),
  )
}
