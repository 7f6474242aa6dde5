import { use } from 'react'
import type { LanguageTag } from '../../../src/lib/languages.ts'
import type { Areas } from './areas.ts'
import { compile } from './icu.ts'
import { useLanguage } from './language.ts'
import type { Area, Texts } from './types.ts'

/** One file for each area and language, loaded when it is used. */
const files = import.meta.glob<{ default: Area }>('./{en,es,pt}/*.ts')
const loaded = new Map<string, Promise<unknown>>()

/**
 * The texts of an area in the language of the reader: `const t = useTexts('members')`, then `t.title` or
 * `t.count({ count: 3 })`.
 */
export function useTexts<Name extends keyof Areas>(area: Name): Texts<Areas[Name]> {
  return use(loadTexts(area, useLanguage()))
}

/** Also for routes, which load it beside their page. */
export function loadTexts<Name extends keyof Areas>(area: Name, language: LanguageTag): Promise<Texts<Areas[Name]>> {
  const file = `./${language}/${area}.ts`
  let texts = loaded.get(file)
  if (!texts) {
    texts = load(file, language)
    loaded.set(file, texts)
    // A file that could not be loaded is asked for again.
    texts.catch(() => loaded.delete(file))
  }
  return texts as Promise<Texts<Areas[Name]>>
}

async function load(file: string, language: LanguageTag): Promise<unknown> {
  const area = await files[file]?.()
  if (!area) throw new Error(`There is no ${file}`)
  return prepare(area.default, language)
}

function prepare(area: Area, language: string): unknown {
  return Object.fromEntries(
    Object.entries(area).map(([key, text]) => [
      key,
      typeof text === 'string' ? sayable(text, language) : prepare(text, language),
    ]),
  )
}

function sayable(text: string, language: string) {
  const whole = unbroken(text)
  return whole.includes('{') ? compile(whole, language) : whole
}

/** No line ends within an “e-mail” of Portuguese. What people wrote is a value and stays as it is. */
const unbroken = (text: string) => text.replace(/(?<![\w.@-])e-mail/gi, (word) => word.replace('-', '\u2011'))
