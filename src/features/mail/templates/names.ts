import { oneLine } from './layout.ts'

/**
 * Names of people and companies as emails repeat them. Anyone may sign up with a name such as "claim at refund24.com"
 * and have us send it to anyone, and mail programs turn what looks like an address into a link, in the subject and the
 * plain part too. So a name that reads like one is not repeated: every text that has a name in it has another form for
 * that. Only a company that is called like a domain, `Booking.com`, is: with a space after the dot, which ends a host for
 * every mail program, while invisible separators do not (URL parsers drop them). Numbers to call are not repeated either, because
 * programs on phones link them: a name of a person with one is left out, and one of a company loses it, because companies of
 * one person in Brazil have the number of its tax register in their names. An address is chosen as freely, by anyone who signs up
 * and asks for another one.
 */

const PERSON_LENGTH_MAX = 60
const COMPANY_LENGTH_MAX = 80

/** Undefined: not fit to be repeated. A longer text is a message rather than a name. */
export function personShown(name: string): string | undefined {
  const shown = visible(name)
  const isUnfit = readsLikeLink(name) || CALLABLE.test(asFolded(name)) || [...shown].length > PERSON_LENGTH_MAX
  return shown === '' || isUnfit ? undefined : shown
}

export function companyShown(name: string): string | undefined {
  const shown = readsLikeLink(name) ? spacedDomain(name) : visible(withoutNumbers(name))
  // What is left around a number may read like a link.
  return shown && !readsLikeLink(shown) ? shortened(shown) : undefined
}

/** All of an address that mail programs take for one; of any other what comes after the @. */
export function addressShown(address: string): string {
  const at = address.lastIndexOf('@')
  const local = address.slice(0, at)
  const isUnfit = WWW.test(local) || (BREAKING.test(local) && readsLikeLink(local))
  return isUnfit ? `…${address.slice(at)}` : address
}

const WWW = /^www\d*\./

/** Signs that an address may have and a web address, too: what stands before or behind them is linked as a host. */
const BREAKING = /[^a-z0-9._+-]/

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu
const NON_JOINER = '\u200c'
const JOINER = '\u200d'
const EMOJI_STYLE = '\ufe0f'

/** On one line, without what can't be seen and is not needed. */
const visible = (name: string) =>
  oneLine(name.replace(IGNORABLE, (sign, place: number) => (isNeeded(sign, name.slice(0, place)) ? sign : '')))

/** Some scripts need joiners between characters, and emoji to be combined and colored. */
const isNeeded = (sign: string, before: string) =>
  [NON_JOINER, JOINER, EMOJI_STYLE].includes(sign) && TAKES_JOINERS.test(before)

const TAKES_JOINERS =
  /(?:\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier}|(?![\p{Script=Latin}\p{Default_Ignorable_Code_Point}])[\p{L}\p{M}])$/u

/** What may stand between the parts of a host (UTS #46, section 2.3), and the leader that NFKC takes for a dot. */
const DOTS = /[\u3002\uff0e\uff61\u2024]/g

/** Without what can't be seen, and with one kind of dot. */
const asWritten = (name: string) => oneLine(name.replace(IGNORABLE, '').replace(DOTS, '.'))

/** With one form of each character as well, as browsers read a host. This may put a space where none was written. */
const asFolded = (name: string) => asWritten(name.replace(IGNORABLE, '').normalize('NFKC'))

const SCHEME = /\/\/|\p{L}[\p{L}\p{N}\p{M}+.-]*:(?:\S|$)/u
const HOST = /\S\.\p{M}*\p{L}\p{M}*[\p{L}\p{N}-]|\bwww\d{0,3}\b|\d{1,3}(?:\.\d{1,3}){3}/iu
const MAILBOX_OR_SHARE = /[@\\]/
/** Mail programs decode `=?utf-8?Q?…?=` in a header (RFC 2047): what it hides could be any of these. */
const ENCODED_WORD = /=\?/

/** Mail programs differ in whether they fold characters before they look for links. */
const readsLikeLink = (name: string) =>
  [asWritten(name), asFolded(name)].some((read) =>
    [SCHEME, HOST, MAILBOX_OR_SHARE, ENCODED_WORD].some((pattern) => pattern.test(read)),
  )

/** Nine digits and more, in any script and however they are grouped; years such as 2024-2025 are fewer. */
const CALLABLE = /[+(]*\p{Nd}(?:[^\p{L}\p{Nd}]{0,3}\p{Nd}){8,}\)?/u

function withoutNumbers(name: string): string {
  const read = asFolded(name)
  if (!CALLABLE.test(read)) return name
  return withoutNumbers(oneLine(read.replace(CALLABLE, ' ')).replace(/[\s:,;(/-]+$/u, ''))
}

const DOMAIN = /^[\p{L}\p{N}\p{M}-]+(?:\.[\p{L}\p{N}\p{M}-]+)+$/u

function spacedDomain(name: string): string | undefined {
  const read = asFolded(name)
  const spaced = read.replaceAll('.', '. ')
  return DOMAIN.test(read) && !readsLikeLink(spaced) && !CALLABLE.test(read) ? spaced : undefined
}

const characters = new Intl.Segmenter()

function shortened(name: string): string {
  const all = [...characters.segment(name)].map(({ segment }) => segment)
  return all.length > COMPANY_LENGTH_MAX
    ? `${all
        .slice(0, COMPANY_LENGTH_MAX - 1)
        .join('')
        .trim()}…`
    : name
}
