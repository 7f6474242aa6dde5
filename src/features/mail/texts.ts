import { type LanguageTag, languageOf } from '../../lib/languages.ts'
import type { Language } from './language.ts'
import { en } from './texts/en.ts'
import { es } from './texts/es.ts'
import { pt } from './texts/pt.ts'

export const texts: { [Tag in LanguageTag]: Language } = { en, es, pt }

export const textsFor = (locale: string): Language => texts[languageOf(locale)]
