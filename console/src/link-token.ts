import type { ConsolePath } from '../../src/features/console/paths.ts'
import { basePath } from './app-facts.ts'

/**
 * The token of a link in an email. It leaves the address before anything else happens: there it would stay in the history
 * and be visible on the screen.
 */
const link = { path: location.pathname, token: takeToken() }

/** It is one of the page that the link has opened: who goes on from there to another page has no link to that one. */
const tokenOf = (page: ConsolePath) => (link.path === basePath + page ? link.token : '')

export const linkTokens = {
  resetPassword: tokenOf('/reset-password'),
  verifyEmail: tokenOf('/verify-email'),
  undoEmailChange: tokenOf('/undo-email-change'),
  invitation: tokenOf('/invitation'),
  join: tokenOf('/join'),
}

function takeToken(): string {
  const address = new URL(location.href)
  const token = address.searchParams.get('token') ?? ''
  if (address.searchParams.has('token')) {
    address.searchParams.delete('token')
    history.replaceState(null, '', address)
  }
  return token
}
