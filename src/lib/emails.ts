import { z } from 'zod'

const LENGTH_MAX = 254 // RFC 5321: a path has 256 octets, two of them brackets.
const LOCAL_PART_LENGTH_MAX = 64 // RFC 5321, 4.5.3.1.1

// One plain addr-spec (RFC 5322 dot-atom) at a domain name with a dot: no quotes, literals, display names or Unicode.
const ADDRESS =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

// What comes after the @: labels of up to 63 characters, at least two.
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

const ASCII = /^[\x21-\x7e]*$/

/** An email address in a request: trimmed and in lower case. All other code compares addresses in this form. */
export const EmailAddress = z
  .string()
  .max(LENGTH_MAX * 2, 'must be a valid email address')
  // Checked before folding: the Kelvin sign, for example, folds to an ordinary k, which gives another person's address.
  .refine((text) => ASCII.test(text.trim()), 'must be a valid email address')
  .transform((text) => text.trim().toLowerCase())
  .refine(
    (text) => text.length <= LENGTH_MAX && text.indexOf('@') <= LOCAL_PART_LENGTH_MAX && ADDRESS.test(text),
    'must be a valid email address',
  )
  .meta({
    format: 'email',
    maxLength: LENGTH_MAX,
    // In either letter case, and without the spaces around it that are forgiven.
    // Marks are escaped in classes for readers with JavaScript's flag v, such as the attribute `pattern` of HTML.
    pattern: ADDRESS.source
      .replaceAll('a-z', 'A-Za-z')
      .replaceAll('/=?^_`{|}~-]', '\\/=?^_`\\{\\|\\}~\\-]')
      .replaceAll('9-]', '9\\-]'),
    rules: `At most ${LOCAL_PART_LENGTH_MAX} characters before the @.`,
  })

/** What a mail server that honors source routes, or a program that decodes encoded words, takes for an address somewhere else. */
const MAY_LEAD_ELSEWHERE = /[%!]|=\?/

/**
 * The domain that vouches for the reader of the mailbox of this address, or nothing (''): a code that arrives at
 * `name%elsewhere@here` proves no mailbox at that domain. As migrations/functions/domain_vouching_for.sql decides.
 */
export const domainVouchingFor = (email: string): string =>
  MAY_LEAD_ELSEWHERE.test(email) ? '' : email.slice(email.lastIndexOf('@') + 1)

const DOMAIN_LENGTH_MAX = LENGTH_MAX - '@'.length - 1

/** What comes after the @ of an email address: trimmed and in lower case. Other scripts in their ASCII form (xn--). */
export const EmailDomain = z
  .string()
  .max(DOMAIN_LENGTH_MAX * 2, 'must be a domain such as example.com')
  .refine((text) => ASCII.test(text.trim()), 'must be a domain such as example.com')
  .transform((text) => text.trim().toLowerCase())
  .refine((text) => text.length <= DOMAIN_LENGTH_MAX && DOMAIN.test(text), 'must be a domain such as example.com')
  .meta({
    maxLength: DOMAIN_LENGTH_MAX,
    pattern: DOMAIN.source.replaceAll('a-z', 'A-Za-z').replaceAll('9-]', '9\\-]'),
    rules: 'A domain in ASCII, such as `example.com`.',
  })
