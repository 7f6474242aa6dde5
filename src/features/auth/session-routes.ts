import { z } from 'zod'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { NoData } from '../../http/envelope.ts'
import { Replayed } from '../../http/route-definition.ts'
import type { Api } from '../../http/routes.ts'
import { Uuid } from '../../lib/uuids.ts'
import { Session, SessionQuery } from '../accounts/schemas.ts'
import { listSessions, revokeOtherSessions, revokeSession } from '../accounts/sessions.ts'
import { confirmSignIn } from './confirm-sign-in.ts'
import { createExchange } from './refresh.ts'
import { opensSession } from './refresh-replay.ts'
import { Credentials, RefreshBody, SecondFactorProof, SignedIn, TokenPair } from './schemas.ts'
import { signIn } from './sign-in.ts'
import { signOut } from './sign-out.ts'

export function sessions(api: Api, deps: Deps): void {
  const { database } = deps
  const exchange = createExchange(deps)

  api.post(
    '/auth/login',
    {
      access: 'anyone',
      action: 'sessions.create',
      limit: { name: 'login', requests: 5, perSeconds: 60 },
      docs: {
        operationId: 'signIn',
        summary: 'Sign in',
        description:
          'Starts a session. An unknown email address and a wrong password get the same response. If you have a second factor, the response is 401 `second_factor_required` with a `challenge`: finish signing in with it.',
        tag: 'Sign up and sign in',
      },
      request: { body: Credentials },
      response: { data: SignedIn },
      ...opensSession(deps, { keyIncludesBody: true }),
      problems: ['credentials_wrong', 'second_factor_required', 'too_many_attempts'],
    },
    ({ body, caller }) => signIn(deps, body, caller),
  )

  api.post(
    '/auth/login/second-factor',
    {
      access: 'anyone',
      action: 'sessions.create',
      limit: { name: 'login', requests: 5, perSeconds: 60 },
      docs: {
        operationId: 'confirmSignIn',
        summary: 'Finish signing in with a second factor',
        description:
          'Takes the challenge of a sign-in, within 5 minutes, and one of your factors. Whatever is wrong, the response is the same. After 10 wrong attempts in an hour, from all networks together, your account has to wait.',
        tag: 'Sign up and sign in',
      },
      request: { body: SecondFactorProof },
      response: { data: SignedIn },
      ...opensSession(deps, { keyIncludesBody: true }),
      problems: ['second_factor_wrong', 'too_many_attempts'],
    },
    ({ body, caller }) => confirmSignIn(deps, body, caller),
  )

  api.post(
    '/auth/refresh',
    {
      access: 'anyone',
      action: 'sessions.refresh',
      docs: {
        operationId: 'refreshTokens',
        summary: 'Refresh tokens',
        description:
          'Exchanges a refresh token for a new pair of tokens. A refresh token works only once. Concurrent requests, and retries with the same `Idempotency-Key`, get the same pair.',
        tag: 'Sign up and sign in',
      },
      request: { body: RefreshBody },
      response: { data: TokenPair },
      idempotency: { handledByRule: true },
      sessionCookie: 'refreshes',
      problems: ['refresh_token_invalid'],
    },
    async ({ body, caller }) => {
      const { pair, isReplay } = await exchange(body.refreshToken, caller)
      return isReplay ? new Replayed(pair) : pair
    },
  )

  api.post(
    '/auth/logout',
    {
      access: 'account with any password',
      action: 'sessions.sign_out',
      docs: {
        operationId: 'signOut',
        summary: 'Sign out',
        description:
          'Ends the session. Its tokens are rejected from the next request on. An already used refresh token is accepted too.',
        tag: 'Sign up and sign in',
      },
      request: { body: RefreshBody },
      response: { data: NoData, message: 'Signed out.' },
      sessionCookie: 'ends',
    },
    ({ actor, body }) => signOut(deps, actor, body.refreshToken),
  )

  api.list(
    '/auth/sessions',
    {
      access: 'account',
      action: 'sessions.list',
      docs: {
        operationId: 'listSessions',
        summary: 'List my sessions',
        description: 'Your active sessions on all devices.',
      },
      request: { query: SessionQuery },
      response: { data: Session },
    },
    ({ actor, query }) => listSessions(database.autocommit(asAccount(actor.accountId)), actor, query),
  )

  api.delete(
    '/auth/sessions/:id',
    {
      access: 'account',
      action: 'sessions.revoke',
      docs: {
        operationId: 'revokeSession',
        summary: 'End a session',
        description: 'Its tokens are rejected from the next request on.',
      },
      request: { params: z.object({ id: Uuid }) },
      response: {
        data: z.object({ id: z.uuid() }),
        message: 'Session ended.',
      },
      problems: ['session_not_found'],
    },
    ({ actor, params }) => database.write(asAccount(actor.accountId), (tx) => revokeSession(tx, actor, params.id)),
  )

  api.delete(
    '/auth/sessions',
    {
      access: 'account',
      action: 'sessions.revoke_others',
      docs: {
        operationId: 'revokeOtherSessions',
        summary: 'Sign out of all other sessions',
        description: 'Returns how many sessions were ended.',
      },
      response: {
        data: z.object({ ended: z.int() }),
        message: ({ ended }) => (ended === 1 ? '1 session ended.' : `${ended} sessions ended.`),
      },
    },
    ({ actor }) => database.write(asAccount(actor.accountId), (tx) => revokeOtherSessions(tx, actor)),
  )
}
