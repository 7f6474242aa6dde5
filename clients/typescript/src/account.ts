import type { Core } from './core.ts'
import { createJoining } from './domains.ts'
import { thenRefresh, thenReload } from './reload.ts'
import { createRoutes, type Routes } from './routes.ts'
import type { Session } from './session.ts'
import type { CallOptions, Schemas } from './types.ts'

/** The account of the person who is signed in, and the ways back into one. */
export function createAccount(core: Core, session: Session) {
  const routes = createRoutes(core)
  const update = thenReload(session, routes.sending('put', '/api/auth/profile'))
  /** The token of a temporary password is for the service alone: other services get the next one. */
  const goOn = thenReload(
    session,
    thenRefresh(session, async () => {}),
  )
  const choosing = (path: '/api/auth/change-password' | '/api/auth/change-temporary-password') => {
    const choose = routes.sending('post', path)
    return async (...args: Parameters<typeof choose>) => {
      const changed = await choose(...args)
      await (changed.signedOut ? session.leave() : goOn())
      return changed
    }
  }
  return {
    /** Account, companies and permissions, which `tenantry.session` has as they were last read. */
    me: routes.plain('get', '/api/auth/me'),
    update: (body: Omit<Schemas['ProfileUpdate'], 'email'>, options?: CallOptions) => update(body, options),
    /** The new address counts once it is confirmed by the link that is sent there; until then it is `pending_email`. */
    changeEmail: (email: string, options?: CallOptions) => update({ email }, options),
    /** Ends all other sessions, and with `compromised` this one as well (`signedOut`): the person signs in again. */
    changePassword: choosing('/api/auth/change-password'),
    /** Allows everything else from then on. */
    changeTemporaryPassword: choosing('/api/auth/change-temporary-password'),
    /** A 403 `reauthentication_required` names the methods: see `onReauthentication`. A passkey signs the options. */
    stepUp: thenReload(session, routes.sending('post', '/api/auth/step-up')),
    stepUpOptions: routes.plain('post', '/api/auth/step-up/options'),
    factors: {
      list: routes.plain('get', '/api/auth/factors'),
      rename: routes.editing('/api/auth/factors/{factorId}'),
      remove: thenReload(session, routes.one('delete', '/api/auth/factors/{factorId}')),
      addApp: routes.sending('post', '/api/auth/factors/totp'),
      confirmApp: thenReload(session, routes.sendingTo('/api/auth/factors/totp/{factorId}/confirm')),
      /** For the options of `createPasskey()`, and then with what it gives. */
      startPasskey: routes.sending('post', '/api/auth/factors/passkeys/options'),
      addPasskey: thenReload(session, routes.sending('post', '/api/auth/factors/passkeys')),
      createRecoveryCodes: routes.plain('post', '/api/auth/factors/recovery-codes'),
      /** For a page behind links in emails, like `email.undoChange`. */
      undoChange: routes.sending('post', '/api/auth/undo-factor-change'),
      checkUndo: routes.sending('post', '/api/auth/undo-factor-change/check'),
      cancelReset: routes.sending('post', '/api/auth/cancel-factor-reset'),
      checkReset: routes.sending('post', '/api/auth/cancel-factor-reset/check'),
    },
    sessions: {
      ...routes.lists('/api/auth/sessions'),
      end: routes.one('delete', '/api/auth/sessions/{id}'),
      endOthers: routes.plain('delete', '/api/auth/sessions'),
    },
    joining: createJoining(routes, session),
    email: createEmail(routes, session),
    recovery: {
      /** Succeeds whether or not there is such an account. */
      request: routes.sending('post', '/api/auth/forgot-password'),
      /** Whether the link is still good; does not use it up. */
      check: routes.sending('post', '/api/auth/reset-password/check'),
      reset: routes.sending('post', '/api/auth/reset-password'),
    },
  }
}

/** For the pages behind links in emails: `check…` does not use a link up. */
function createEmail(routes: Routes, session: Session) {
  return {
    resendChange: routes.plain('post', '/api/auth/profile/email/resend'),
    cancelChange: thenReload(session, routes.plain('post', '/api/auth/profile/email/cancel')),
    verify: routes.sending('post', '/api/auth/verify-email'),
    checkVerification: routes.sending('post', '/api/auth/verify-email/check'),
    resendVerification: routes.sending('post', '/api/auth/verify-email/resend'),
    undoChange: routes.sending('post', '/api/auth/undo-email-change'),
    checkUndo: routes.sending('post', '/api/auth/undo-email-change/check'),
  }
}
