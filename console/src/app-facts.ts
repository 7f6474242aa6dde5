/** What the service has written into the document. */
const fact = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''

/** APP_NAME. */
export const appName = fact('application-name') || 'Tenantry'
/** The path below which a proxy serves the service, without a slash at the end: mostly empty. */
export const basePath = fact('base-path')
export const logo = document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href
/** SIGN_UP: with `invited` or `closed` no one creates an account by themselves. */
export const canSignUp = !['invited', 'closed'].includes(fact('sign-up'))
const tools = fact('developer-tools').split(' ')
/** Addresses of what is served to developers beside the console, and never in production. */
export const developerTools = {
  documentation: tools.includes('documentation') ? `${basePath}/api/docs` : undefined,
  mailbox: tools.includes('mailbox') ? `${basePath}/dev/mail` : undefined,
}
