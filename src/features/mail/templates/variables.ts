import type { EmailKind, EmailParams } from '../outbox/enqueue.ts'
import type { Facts } from './format.ts'
import { companyShown, personShown } from './names.ts'

interface Given {
  params: EmailParams[EmailKind]
  /** The recipient's. */
  name: string
  /** The product as its users know it: APP_NAME. */
  site: string
  /** Of a temporary password. */
  passwordEndsAt: string | null
}

/**
 * What the texts of a letter may speak of: its params, `site` and `name`, and `until`, a moment. A name that is not fit
 * to be repeated is the word `unnamed`, for which every text that has a name in it has another form.
 */
export function factsOf({ params, name, site, passwordEndsAt }: Given): Facts {
  const { hours, until = passwordEndsAt, ...rest }: Partial<Record<string, string | null>> = { ...params }
  const facts = Object.entries(rest).map(([fact, value]) => [fact, value ?? ''] as const)
  return {
    ...Object.fromEntries(facts.map(([fact, value]) => [fact, fitToQuote(fact, value)])),
    site,
    name: personShown(name) ?? UNNAMED,
    ...(hours && { hours: Number(hours) }),
    ...(until && { until: new Date(until) }),
  }
}

const UNNAMED = 'unnamed'

/** What nobody could choose freely. Everything else counts as a name. */
const NO_NAMES = ['newEmail', 'email', 'ended', 'replaces', 'kid', 'timezone']

/** Anybody can give themselves or a company an advertisement for a name: that we don't send about. */
function fitToQuote(fact: string, value: string): string {
  if (NO_NAMES.includes(fact)) return value
  return (fact === 'company' ? companyShown(value) : personShown(value)) ?? UNNAMED
}
