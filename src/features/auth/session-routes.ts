import { z } from 'zod'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { Nothing } from '../../http/envelope.ts'
import { Replayed } from '../../http/route-definition.ts'
import type { Api } from '../../http/routes.ts'
import { Uuid } from '../../lib/uuids.ts'
import { Session, SessionQuery } from '../accounts/schemas.ts'
import { listSessions, revokeOtherSessions, revokeSession } from '../accounts/sessions.ts'
import { createExchange } from './refresh.ts'
import { canReplayTokens } from './refresh-replay.ts'
import { Credentials, RefreshBody, SignedIn, TokenPair } from './schemas.ts'
import { signIn } from './sign-in.ts'
import { signOut } from './sign-out.ts'

export function sessions(api: Api, service: Deps): void {
  const { database } = service
  const exchange = createExchange(service)

  api.post(
    '/auth/login',
    {
      access: 'anyone',
      action: 'sessions.create',
      operationId: 'signIn',
      summary: 'Sign in with e-mail address and password',
      description: 'Opens a session. An unknown address and a wrong password get the same answer.',
      tag: 'Sign up and sign in',
      limit: { name: 'login', requests: 5, perSeconds: 60 },
      guessable: true,
      secretAnswer: {
        stillHolds: ({ refreshToken }) => canReplayTokens(service, refreshToken),
        otherwise: 'done anew',
      },
      body: Credentials,
      answer: SignedIn,
      problems: ['credentials_wrong', 'too_many_attempts'],
    },
    ({ body, caller }) => signIn(service, body, caller),
  )

  api.post(
    '/auth/refresh',
    {
      access: 'anyone',
      action: 'sessions.refresh',
      operationId: 'refreshTokens',
      summary: 'Exchange a refresh token for a new pair',
      tag: 'Sign up and sign in',
      description:
        'A refresh token is good once. Requests that overlap get the same pair, as does a repetition with the same `Idempotency-Key` within ten minutes, unless password or address have changed meanwhile.',
      body: RefreshBody,
      answer: TokenPair,
      ownRetries: true,
      problems: ['refresh_token_invalid'],
    },
    async ({ body, caller }) => {
      const { pair, isRepetition } = await exchange(body.refreshToken, caller)
      return isRepetition ? new Replayed(pair) : pair
    },
  )

  api.post(
    '/auth/logout',
    {
      access: 'account with any password',
      action: 'sessions.sign_out',
      operationId: 'signOut',
      summary: 'Sign out',
      description:
        'Ends the session: its tokens are refused from the next request on. A refresh token that is spent does no harm.',
      tag: 'Sign up and sign in',
      body: RefreshBody,
      answer: Nothing,
      message: 'Signed out.',
    },
    ({ actor, body }) => signOut(service, actor, body.refreshToken),
  )

  api.list(
    '/auth/sessions',
    {
      access: 'account',
      action: 'sessions.list',
      operationId: 'listSessions',
      summary: 'Where am I signed in?',
      description: 'The sessions of the caller that have not ended.',
      query: SessionQuery,
      answer: Session,
    },
    ({ actor, query }) => listSessions(database.autocommit(asAccount(actor.accountId)), actor, query),
  )

  api.delete(
    '/auth/sessions/:id',
    {
      access: 'account',
      action: 'sessions.revoke',
      operationId: 'revokeSession',
      summary: 'End one session',
      description: 'Its tokens are refused from the next request on.',
      params: z.object({ id: Uuid }),
      answer: z.object({ id: z.uuid() }),
      message: 'The session has ended.',
      problems: ['session_not_found'],
    },
    ({ actor, params }) => database.write(asAccount(actor.accountId), (tx) => revokeSession(tx, actor, params.id)),
  )

  api.delete(
    '/auth/sessions',
    {
      access: 'account',
      action: 'sessions.revoke_others',
      operationId: 'revokeOtherSessions',
      summary: 'End all sessions but this one',
      description: 'Tells how many have ended.',
      answer: z.object({ ended: z.int() }),
      message: ({ ended }) => (ended === 1 ? 'One session has ended.' : `${ended} sessions have ended.`),
    },
    ({ actor }) => database.write(asAccount(actor.accountId), (tx) => revokeOtherSessions(tx, actor)),
  )
}
