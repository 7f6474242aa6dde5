import { type LanguageTag, languageOf } from '../../../../lib/languages.ts'
import type { EmailTranslations } from '../translations.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { pt } from './pt.ts'

export const texts: { [Tag in LanguageTag]: EmailTranslations } = { en, es, pt }

export const textsFor = (locale: string): EmailTranslations => texts[languageOf(locale)]
