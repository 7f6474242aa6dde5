import { IntlMessageFormat } from 'intl-messageformat'
import { type LanguageTag, languageOf } from '../../../lib/languages.ts'

export type Variables = Record<string, string | number | Date>

/** How numbers and dates are written for a recipient. */
export interface LocaleFormat {
  /** BCP 47, of the language that the message is in. */
  locale: string
  /** IANA. */
  timezone: string
}

/** An ICU message with its variables filled in; a value is never parsed as a message itself. */
export function formatMessage(message: string, variables: Variables, { locale, timezone }: LocaleFormat): string {
  return String(new IntlMessageFormat(message, locale, formatsIn(timezone), { ignoreTag: true }).format(variables))
}

/** The region of the recipient's locale counts too: the clock has twelve hours in en-US and twenty-four in en-GB. */
export function localeFormatFor({
  locale,
  timezone = '',
}: {
  locale: string
  timezone?: string | undefined
}): LocaleFormat {
  return { locale: regional(locale, languageOf(locale)), timezone: isTimezone(timezone) ? timezone : 'UTC' }
}

/** Without extensions, which could ask for other digits or another calendar than the words around them suit. */
function regional(locale: string, language: LanguageTag): string {
  const formatted = formattedAs[language]
  try {
    const wanted = new Intl.Locale(locale)
    return wanted.language === language && wanted.baseName !== language ? wanted.baseName : formatted
  } catch {
    return formatted
  }
}

/** How a language without a region is formatted: `es` alone is Spain's form, which most readers of Spanish do not use. */
const formattedAs: Record<LanguageTag, string> = { en: 'en', es: 'es-419', pt: 'pt' }

/** Checked again: it may have been saved under another version of the time zones, and no email may fail for it. */
function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/**
 * `{until, date, day}` and `{until, time, clock}`, with the zone as an offset, because `CST` is many zones. Two, because
 * what stands between them is grammar: a Spanish hour takes `a las`, but one o'clock `a la`.
 */
const formatsIn = (timeZone: string) => ({
  date: { day: { year: 'numeric', month: 'long', day: 'numeric', timeZone } as const },
  time: {
    clock: {
      hour: 'numeric',
      minute: '2-digit',
      timeZone,
      timeZoneName: timeZone === 'UTC' ? 'short' : 'shortOffset',
    } as const,
  },
})
