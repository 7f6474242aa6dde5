import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { IntlMessageFormat } from 'intl-messageformat'
import { testBrand } from '../../../../test/support/brand.ts'
import { languages } from '../../../lib/languages.ts'
import { SAMPLE_PASSWORD_ENDS_AT, samplesWith } from '../dev-pages/preview-variables.ts'
import type { EmailKind } from '../outbox/emails.ts'
import { layOut } from './layout.ts'
import { type OutboxEmail, textOf } from './render-message.ts'
import { texts, textsFor } from './texts/texts.ts'
import type { EmailTranslations } from './translations.ts'

const samples = samplesWith('kid')
const kinds = Object.keys(samples) as EmailKind[]
const HOURS_MAX = 8760

const sample = (kind: EmailKind, locale: string, more: Record<string, string> = {}): OutboxEmail => ({
  id: 'id',
  kind,
  recipient: { email: 'ana@example.com', name: 'Ana', locale },
  params: { ...samples[kind], ...more } as OutboxEmail['params'],
  secretId: null,
  passwordEndsAt: SAMPLE_PASSWORD_ENDS_AT,
})
const content = (kind: EmailKind, locale: string, more: Record<string, string> = {}) =>
  Object.values(textOf(sample(kind, locale, more), textsFor(locale), 'Acme')).flat()

/** Every message of a language by its path, such as `emails.reset_password.after.0`. */
function messagesIn(part: object, path: string[] = []): Map<string, string> {
  const found = Object.entries(part).flatMap(([key, value]) =>
    typeof value === 'object' ? [...messagesIn(value, [...path, key])] : [[[...path, key].join('.'), value] as const],
  )
  return new Map(found as [string, string][])
}

type Node = { type: number; value?: unknown; options?: Record<string, { value: Node[] }>; style?: unknown }
const PLURAL = 6

/** What an ICU message names: its arguments with their types, and the forms of each plural. */
function named(message: string): { argumentsOf: Set<string>; plurals: string[][]; blank: boolean } {
  const argumentsOf = new Set<string>()
  const plurals: string[][] = []
  let blank = false
  const walk = (nodes: Node[]) => {
    blank ||= nodes.length === 0
    for (const { type, value, options, style } of nodes) {
      if (type !== 0 && type !== 7) argumentsOf.add([value, type, typeof style === 'string' ? style : ''].join(' '))
      if (type === PLURAL) plurals.push(Object.keys(options ?? {}))
      for (const option of Object.values(options ?? {})) walk(option.value)
    }
  }
  walk(new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true }).getAst() as Node[])
  return { argumentsOf, plurals, blank }
}

describe('the texts of emails', () => {
  const english = messagesIn(texts.en)

  for (const language of languages) {
    const messages = messagesIn(texts[language])

    it(`have every message that English has, and no other: ${language}`, () => {
      assert.deepEqual([...messages.keys()].sort(), [...english.keys()].sort())
    })

    it(`say something, in every form: ${language}`, () => {
      for (const [path, message] of messages) {
        assert.ok(message.trim() === message && message !== '' && !named(message).blank, path)
      }
    })

    it(`use the same variables as the English: ${language}`, () => {
      for (const [path, message] of messages) {
        assert.deepEqual(named(message).argumentsOf, named(english.get(path) as string).argumentsOf, path)
      }
    })

    it(`have a form for each number that can occur: ${language}`, () => {
      const rules = new Intl.PluralRules(language)
      const needed = new Set(Array.from({ length: HOURS_MAX }, (_, index) => rules.select(index + 1)))
      const plurals = [...messages.values()].flatMap((message) => named(message).plurals)
      assert.ok(plurals.length > 0)
      for (const forms of plurals) assert.deepEqual(new Set(forms), needed)
    })

    it(`are all used: ${language}`, () => {
      const marked = marks(texts[language]) as EmailTranslations
      const shown = kinds.map((kind) => {
        const text = {
          ...textOf(sample(kind, language), marked, 'Acme'),
          secret: 'S',
          url: 'https://example.com',
          secondUrl: 'https://example.com',
        }
        const { text: plain, html } = layOut(text, { language, brand: testBrand() })
        return html + plain
      })
      const unused = [...messages.keys()].filter((path) => !shown.join('').includes(`||${path}||`))
      assert.deepEqual(unused, [])
    })

    it(`can be formatted with every value of every variable: ${language}`, () => {
      for (const kind of kinds) {
        for (const company of ['Acme', '', 'evil.example']) {
          for (const hours of ['1', '2', '72', '1000', String(HOURS_MAX)]) {
            for (const replaces of ['yes', 'no', 'none']) {
              const none = { personEmail: '', fromEmail: '', toEmail: '', byEmail: '' }
              const names = { ...none, company, person: company, from: company, to: company, by: company }
              const all = content(kind, language, { ...names, hours, replaces, ended: replaces })
              assert.doesNotMatch(all.join('\n'), /[{}#]|unnamed|undefined|Invalid|NaN/)
            }
          }
        }
      }
    })

    it(`are all translated: ${language}`, () => {
      if (language === 'en') return
      const same = [...messages].filter(([path, message]) => english.get(path) === message)
      assert.deepEqual(same, [])
    })
  }
})

/** The same language with each message saying only where it stands. */
function marks(part: object, path: string[] = []): object {
  const marked = (key: string, value: unknown) =>
    typeof value === 'object' ? marks(value as object, [...path, key]) : `||${[...path, key].join('.')}||`
  if (Array.isArray(part)) return part.map((value, index) => marked(String(index), value))
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, marked(key, value)]))
}

describe('an email is written', () => {
  it('in the language of the recipient, whatever the region; in English for other languages', () => {
    for (const locale of ['es', 'es-MX', 'es-419', 'ES-ar']) assert.equal(textsFor(locale), texts.es, locale)
    for (const locale of ['pt', 'pt-PT', 'pt-BR']) assert.equal(textsFor(locale), texts.pt, locale)
    for (const locale of ['', 'en-GB', 'EN', 'xx', 'de-AT', 'est', 'constructor', '__proto__']) {
      assert.equal(textsFor(locale), texts.en, locale)
    }
  })

  const hours: [locale: string, hours: string, sentence: RegExp][] = [
    ['en', '1', /is valid for 1 hour, until/],
    ['en', '72', /is valid for 72 hours, until/],
    ['es-MX', '1', /durante 1 hora, hasta/],
    ['es', '72', /durante 72 horas, hasta/],
    ['pt-BR', '1', /por 1 hora, até/],
    ['pt-PT', '72', /por 72 horas, até/],
    ['en', '8760', /is valid for 8,760 hours/],
    ['es', '8760', /durante 8,760 horas/],
    ['es-ES', '8760', /durante 8760 horas/],
    ['pt', '8760', /por 8\.760 horas/],
    ['pt-BR', '8760', /por 8\.760 horas/],
  ]
  for (const [locale, count, sentence] of hours) {
    it(`with the right form of a number: ${count} in ${locale}`, () => {
      assert.match(content('temporary_password', locale, { hours: count }).join('\n'), sentence)
    })
  }

  const moments: [locale: string, timezone: string, moment: string][] = [
    ['en', 'UTC', 'January 4, 2031 at 12:35 AM UTC'],
    ['en-GB', '', '4 January 2031 at 00:35 UTC'],
    ['en-GB', 'Nowhere/Land', '4 January 2031 at 00:35 UTC'],
    ['en-GB-u-nu-arab-ca-buddhist', 'UTC', '4 January 2031 at 00:35 UTC'],
    ['de-DE', 'Europe/Berlin', 'January 4, 2031 at 1:35 AM GMT+1'],
    ['e n', '', 'January 4, 2031 at 12:35 AM UTC'],
    ['es', 'America/Lima', '3 de enero de 2031 (7:35 p.m. GMT-5)'],
    ['es-ES', 'Europe/Madrid', '4 de enero de 2031 (1:35 GMT+1)'],
    ['es-MX', 'America/Mexico_City', '3 de enero de 2031 (6:35 p.m. GMT-6)'],
    ['pt-BR', 'America/Sao_Paulo', '3 de janeiro de 2031 (21:35 GMT-3)'],
    ['pt-PT', 'Atlantic/Azores', '3 de janeiro de 2031 (23:35 GMT-1)'],
  ]
  for (const [locale, timezone, moment] of moments) {
    it(`with a moment in the form of the region, with its time zone: ${locale} ${timezone}`, () => {
      const text = content('temporary_password', locale, { timezone }).join('\n').replace(/\s/g, ' ')
      assert.ok(text.includes(moment), text)
    })
  }
})
