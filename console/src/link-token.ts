/**
 * The token of a link in an email. It leaves the address before anything else happens: there it would stay in the history
 * and be visible on the screen.
 */
export const linkToken = takeToken()

function takeToken(): string {
  const address = new URL(location.href)
  const token = address.searchParams.get('token') ?? ''
  if (address.searchParams.has('token')) {
    address.searchParams.delete('token')
    history.replaceState(null, '', address)
  }
  return token
}
