import type { Choice } from '../../ui/Field.tsx'

/** Languages in which the service writes emails, with the regions that most people there write dates and numbers by. */
const LOCALES = ['en', 'en-GB', 'en-US', 'es', 'es-AR', 'es-CO', 'es-ES', 'es-MX', 'es-PE', 'pt', 'pt-BR', 'pt-PT']

export const zoneName = (zone: string): string => zone.replaceAll('_', ' ')

export const languageName = (tag: string, locale: string): string =>
  new Intl.DisplayNames(locale, { type: 'language', fallback: 'code' }).of(tag) ?? tag

/** `present` is offered too, also where this browser does not know it. */
export const zoneChoices = (present: string): Choice[] =>
  withPresent(['UTC', ...Intl.supportedValuesOf('timeZone')], present).map((zone) => ({
    value: zone,
    label: zoneName(zone),
  }))

export const languageChoices = (present: string, locale: string): Choice[] =>
  withPresent(LOCALES, present)
    .map((tag) => ({ value: tag, label: languageName(tag, locale) }))
    .sort((a, b) => a.label.localeCompare(b.label, locale))

const withPresent = (values: string[], present: string): string[] => [
  ...new Set(present ? [...values, present] : values),
]
