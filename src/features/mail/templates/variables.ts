import type { EmailKind, EmailParams } from '../outbox/emails.ts'
import type { Variables } from './format.ts'
import { addressShown, companyShown, personShown } from './names.ts'

interface VariableSource {
  params: EmailParams[EmailKind]
  /** The recipient's. */
  name: string
  /** The product as its users know it: APP_NAME. */
  site: string
  /** Of a temporary password. */
  passwordEndsAt: string | null
}

/**
 * The variables of an email's texts: its params, `site`, `name`, and `at` and `until`, moments. A name that is not fit to be
 * repeated is the word `unnamed`, for which every text with a name in it has another form.
 */
export function variablesOf({ params, name, site, passwordEndsAt }: VariableSource): Variables {
  const { hours, left, at, until = passwordEndsAt, ...rest }: Partial<Record<string, string | null>> = { ...params }
  const variables = Object.entries(rest).map(([fact, value]) => [fact, value ?? ''] as const)
  return {
    // Which emails of 0.2.0 lack.
    by: UNNAMED,
    awaits: '',
    verified: '',
    ...Object.fromEntries(variables.map(([fact, value]) => [fact, shownAs(fact, value, rest[`${fact}Email`])])),
    site,
    name: personShown(name) ?? UNNAMED,
    ...(hours && { hours: Number(hours) }),
    ...(left && { left: Number(left) }),
    ...(at && { at: new Date(at) }),
    ...(until && { until: new Date(until) }),
  }
}

const UNNAMED = 'unnamed'

/** Params whose values no user can choose freely. Everything else counts as a name. */
const NOT_NAMES = [
  'address',
  'awaits',
  'change',
  'domain',
  'ended',
  'replaces',
  'kid',
  'codeId',
  'companyId',
  'linkId',
  'timezone',
  'verified',
]

/** Params whose values are names of companies. */
const COMPANIES = ['company', 'former']

const isAddress = (fact: string) => /email$/i.test(fact)

/** A name with more than one would tell a story of its own about who did what. */
const readsLikeSentence = (name: string) => /[;:!?…]\s|\p{L}{4,}\.\s/u.test(name)

/**
 * A person whose address is known is shown by both: in an email about what an intruder did, a name may be that of another person. No name
 * reads like an address.
 */
function shownAs(fact: string, value: string, email: string | null | undefined): string {
  if (!email) return quotable(fact, value)
  const name = readsLikeSentence(value) ? undefined : personShown(value)
  const address = addressShown(email)
  return name ? `${name} (${address})` : address
}

/** Anyone can name themselves or a company with an advertisement, which our emails must not carry. */
function quotable(fact: string, value: string): string {
  if (NOT_NAMES.includes(fact)) return value
  if (isAddress(fact)) return addressShown(value)
  if (fact === 'memberEmails') return value === '' ? 'none' : value.split(' ').map(addressShown).join(', ')
  return (COMPANIES.includes(fact) ? companyShown(value) : personShown(value)) ?? UNNAMED
}
