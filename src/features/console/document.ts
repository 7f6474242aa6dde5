import type { Brand } from '../../brand/brand.ts'
import type { SignUp } from '../../config/config.ts'
import { html } from '../../lib/html.ts'

export interface ConsoleFacts {
  brand: Brand
  /** APP_URL; undefined: the address that the service listens on. */
  appUrl: string | undefined
  /** The interactive documentation and the development mailbox, where they are served. */
  documentation: boolean
  mailbox: boolean
  /** SIGN_UP: whether the page for signing up has a use. */
  signUp: SignUp
}

/**
 * The document of the console with the facts of this service, as plain elements that its script reads: an inline script
 * would be against the policy, and a request for them would delay the first page.
 */
export function consoleDocument(
  source: string,
  { brand, appUrl, documentation, mailbox, signUp }: ConsoleFacts,
): string {
  const base = basePathOf(appUrl)
  const { name, logo } = brand
  const tools = [documentation && 'documentation', mailbox && 'mailbox'].filter(Boolean).join(' ')
  const head = html`<title>${name}</title>
<meta name="application-name" content="${name}">
<meta name="base-path" content="${base}">
<meta name="developer-tools" content="${tools}">
<meta name="sign-up" content="${signUp}">
<link rel="icon" type="${logo.type}" href="${base}/pages/${logo.file}">
<link rel="stylesheet" href="${base}/console/theme.css">`.source
  return source.replace('<title></title>', () => head).replaceAll('"./', () => `"${base}/console/`)
}

/** The path below which a proxy serves the service, without a slash at the end: mostly empty. */
export function basePathOf(appUrl: string | undefined): string {
  return appUrl ? new URL(appUrl).pathname.replace(/\/+$/, '') : ''
}
