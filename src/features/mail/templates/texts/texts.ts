import { type LanguageTag, languageOf } from '../../../../lib/languages.ts'
import type { Language } from '../translations.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { pt } from './pt.ts'

export const texts: { [Tag in LanguageTag]: Language } = { en, es, pt }

export const textsFor = (locale: string): Language => texts[languageOf(locale)]
