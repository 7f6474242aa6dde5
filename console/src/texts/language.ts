import { useSyncExternalStore } from 'react'
import { DEFAULT_LANGUAGE, type LanguageTag, languages } from '../../../src/lib/languages.ts'

/**
 * Which language the console speaks: that of the account once it is known, before that the one named by the link in an
 * email (`lang`), otherwise the browser's. The locale keeps its region, for dates and numbers.
 */
let locale = initialLocale()
const listeners = new Set<() => void>()

function initialLocale(): string {
  const linked = new URLSearchParams(location.search).get('lang')
  const wanted = [linked, ...navigator.languages].filter((tag) => tag !== null)
  return wanted.find(isSpoken) ?? DEFAULT_LANGUAGE
}

function isSpoken(tag: string): boolean {
  return isTag(tag) && languages.some((language) => language === baseOf(tag))
}

/** An address may say anything, and commands of 0.2.0 saved anything. By what is no tag no date can be written, nor a request made. */
export function isTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length > 0
  } catch {
    return false
  }
}

function baseOf(tag: string): string {
  return tag.split('-')[0]?.toLowerCase() ?? ''
}

export const languageOf = (tag: string): LanguageTag =>
  languages.find((language) => language === baseOf(tag)) ?? DEFAULT_LANGUAGE

/** `null`: the account has none, so the browser's counts. */
export function setLocale(wanted: string | null): void {
  const next = wanted && isSpoken(wanted) ? wanted : initialLocale()
  if (next === locale) return
  locale = next
  document.documentElement.lang = languageOf(next)
  for (const listener of listeners) listener()
}

document.documentElement.lang = languageOf(locale)

export const currentLocale = () => locale

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Spanish without a region is that of Latin America, as in emails. */
export function useLocale(): string {
  const tag = useSyncExternalStore(subscribe, currentLocale)
  return tag === 'es' ? 'es-419' : tag
}

export const useLanguage = (): LanguageTag => languageOf(useSyncExternalStore(subscribe, currentLocale))
