import { type Core, lists } from './core.ts'
import type { paths } from './schema.ts'
import type { Session } from './session.ts'
import type { Account, BodyOf, CallOptions, Schemas } from './types.ts'

type Body<P extends keyof paths, V extends 'post' | 'put'> = BodyOf<paths[P][V]>
type Link = Schemas['LinkToken']

/** The account of the person who is signed in, and the ways back into one. */
export function createAccount(core: Core, session: Session) {
  return {
    /** Account, companies and permissions; `tenantry.session` shows them from then on. */
    me: async (options?: CallOptions) => core.call('get', '/api/auth/me', { ...options }),
    /** A new `email` counts once it is confirmed by the link that is sent there. */
    update: (body: Schemas['ProfileUpdate'], options?: CallOptions) =>
      thenReload(core.call('put', '/api/auth/profile', { body, ...options })),
    changeEmail: (email: string, options?: CallOptions): Promise<Account> =>
      thenReload(core.call('put', '/api/auth/profile', { body: { email }, ...options })),
    /** Ends all other sessions. */
    changePassword: (body: Schemas['PasswordChange'], options?: CallOptions) =>
      thenReload(core.call('post', '/api/auth/change-password', { body, ...options })),
    changeTemporaryPassword: (body: Schemas['PasswordChange'], options?: CallOptions) =>
      thenReload(core.call('post', '/api/auth/change-temporary-password', { body, ...options })),
    sessions: createSessions(core),
    email: createEmail(core, session),
    recovery: createRecovery(core),
  }

  async function thenReload<Result>(change: Promise<Result>): Promise<Result> {
    const result = await change
    await session.reload().catch(() => {})
    return result
  }
}

function createSessions(core: Core) {
  return {
    ...lists(core, '/api/auth/sessions'),
    end: (id: string, options?: CallOptions) =>
      core.call('delete', '/api/auth/sessions/{id}', { path: { id }, ...options }),
    endOthers: (options?: CallOptions) => core.call('delete', '/api/auth/sessions', { ...options }),
  }
}

function createEmail(core: Core, session: Session) {
  return {
    resendChange: (options?: CallOptions) => core.call('post', '/api/auth/profile/email/resend', { ...options }),
    async cancelChange(options?: CallOptions) {
      const result = await core.call('post', '/api/auth/profile/email/cancel', { ...options })
      await session.reload().catch(() => {})
      return result
    },
    /** For the page behind the link: `check` does not use it up. */
    verify: (token: string, options?: CallOptions) =>
      core.call('post', '/api/auth/verify-email', { body: { token } satisfies Link, ...options }),
    checkVerification: (token: string, options?: CallOptions) =>
      core.call('post', '/api/auth/verify-email/check', { body: { token } satisfies Link, ...options }),
    resendVerification: (body: Body<'/api/auth/verify-email/resend', 'post'>, options?: CallOptions) =>
      core.call('post', '/api/auth/verify-email/resend', { body, ...options }),
    undoChange: (token: string, options?: CallOptions) =>
      core.call('post', '/api/auth/undo-email-change', { body: { token }, ...options }),
    checkUndo: (token: string, options?: CallOptions) =>
      core.call('post', '/api/auth/undo-email-change/check', { body: { token }, ...options }),
  }
}

function createRecovery(core: Core) {
  return {
    /** Succeeds whether or not there is such an account. */
    request: (email: string, options?: CallOptions) =>
      core.call('post', '/api/auth/forgot-password', { body: { email }, ...options }),
    check: (token: string, options?: CallOptions) =>
      core.call('post', '/api/auth/reset-password/check', { body: { token }, ...options }),
    reset: (body: Schemas['PasswordReset'], options?: CallOptions) =>
      core.call('post', '/api/auth/reset-password', { body, ...options }),
  }
}
