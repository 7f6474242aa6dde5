import type { Core } from './core.ts'
import { thenReload } from './reload.ts'
import { createRoutes, type Routes } from './routes.ts'
import type { Session } from './session.ts'
import type { CallOptions, Schemas } from './types.ts'

const PATH = '/api/companies/invitations'
const ONE = `${PATH}/{invitationId}` as const
const OWN = '/api/auth/invitations'
const LINKS = '/api/companies/invitation-links'
const LINK = `${LINKS}/{linkId}` as const

/** What a company does with its invitations. */
export const createInvitations = (inside: Routes) => ({
  ...inside.lists(PATH),
  get: inside.one('get', ONE),
  /** Emails a link; the person decides. */
  create: inside.sending('post', PATH),
  /** Makes the caller the inviter. */
  update: inside.editing(ONE),
  /** With a new link; the ones before stop working. */
  resend: inside.one('post', `${ONE}/resend`),
  revoke: inside.one('delete', ONE),
})

/** Links that a company hands out itself. */
export const createInvitationLinks = (inside: Routes) => ({
  ...inside.lists(LINKS),
  get: inside.one('get', LINK),
  /** Returns the token once. */
  create: inside.sending('post', LINKS),
  revoke: inside.one('delete', LINK),
})

/** Invitations to the person who is signed in, with a verified address. */
export function createOwnInvitations(core: Core, session: Session) {
  const { plain, sendingTo } = createRoutes(core)
  return {
    list: plain('get', OWN),
    /** Again with `emailCode`, after `mailbox_code_required`. */
    accept: thenReload(session, sendingTo(`${OWN}/{invitationId}/accept`)),
    /** Likewise. */
    decline: sendingTo(`${OWN}/{invitationId}/decline`),
  }
}

/** For the page behind the link in an invitation: each takes the token. */
export function createInvitation(core: Core, session: Session) {
  const { sending } = createRoutes(core)
  return {
    /** Who invites, and whether to `register` or to sign in and `accept`. */
    preview: sending('post', `${OWN}/preview`),
    /** Signs up with the address of the invitation, joins, and signs in. */
    register: (body: Omit<Schemas['InvitedRegistration'], 'sessionIn'>, options?: CallOptions) =>
      session.open(`${OWN}/register`, body, options),
    accept: thenReload(session, sending('post', `${OWN}/accept`)),
    decline: sending('post', `${OWN}/decline`),
    /** The company of a link that it hands out. */
    previewLink: sending('post', '/api/auth/invitation-links/preview'),
    /** Takes the token of such a link. */
    joinByLink: thenReload(session, sending('post', '/api/auth/invitation-links/join')),
  }
}
