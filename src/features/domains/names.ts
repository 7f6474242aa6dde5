import { z } from 'zod'
import { problem } from '../../problems.ts'
import { mailProviders } from './mail-providers.ts'

/** `_tenantry.` before it makes 253 characters, the most that a name can have (RFC 1035, 2.3.4). */
export const DOMAIN_LENGTH_MAX = 243

// At least two labels, as an address has them behind its @; the last one begins with none of the digits, so that no IP address matches.
const LABEL_END = '(?:[a-z0-9-]{0,61}[a-z0-9])?'
const DOMAIN = new RegExp(`^(?:[a-z0-9]${LABEL_END}\\.)+[a-z]${LABEL_END}$`)
const MESSAGE = 'must be a domain such as example.com, an international one in its form with xn--'

/** A domain in a request: trimmed and in lower case. Checked before folding: the Kelvin sign folds to an ordinary k. */
export const DomainName = z
  .string()
  .max(DOMAIN_LENGTH_MAX * 2, MESSAGE)
  .refine((text) => /^[\x21-\x7e]*$/.test(text.trim()), MESSAGE)
  .transform((text) => text.trim().toLowerCase())
  .refine((text) => text.length <= DOMAIN_LENGTH_MAX && DOMAIN.test(text), MESSAGE)
  .meta({
    maxLength: DOMAIN_LENGTH_MAX,
    pattern: DOMAIN.source.replaceAll('a-z', 'A-Za-z').replaceAll('9-]', '9\\-]'),
    rules: 'At least two parts. Of an international domain, the form in ASCII (`xn--`).',
  })

/**
 * Throws for a domain at which people who have nothing to do with each other have addresses: a public suffix, such as
 * co.uk or github.io, and the domains of mail providers. The list of suffixes is loaded when it is first needed.
 */
export async function assertNotShared(name: string): Promise<void> {
  const { getDomain } = await import('tldts')
  const registered = getDomain(name, { allowPrivateDomains: true })
  if (registered === null || mailProviders.has(registered)) throw problem('domain_is_shared')
}
