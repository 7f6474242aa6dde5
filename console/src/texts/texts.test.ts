import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { IntlMessageFormat } from 'intl-messageformat'
import { languages } from '../../../src/lib/languages.ts'
import { compile } from './icu.ts'

const here = import.meta.dirname
const areas = globSync('en/*.ts', { cwd: here }).map((file) => path.basename(file, '.ts'))

type Part = { [key: string]: string | Part }

/** Every message of an area by its path, such as `signIn.title`. */
async function messagesOf(language: string, area: string): Promise<Map<string, string>> {
  const { default: part } = (await import(path.join(here, language, `${area}.ts`))) as { default: Part }
  return new Map(messagesIn(part))
}

const messagesIn = (part: Part, at: string[] = []): [string, string][] =>
  Object.entries(part).flatMap(([key, value]) =>
    typeof value === 'string' ? [[[...at, key].join('.'), value] as const] : messagesIn(value, [...at, key]),
  ) as [string, string][]

type Node = { type: number; value: string; options?: Record<string, { value: Node[] }> }
const [LITERAL, PLURAL, POUND] = [0, 6, 7]

/** The arguments of a message with their types, and the forms of each plural. */
function named(message: string) {
  const found = new Map<string, number>()
  const plurals: string[][] = []
  const walk = (nodes: Node[]) => {
    for (const { type, value, options = {} } of nodes) {
      if (type !== LITERAL && type !== POUND) found.set(value, type)
      if (type === PLURAL) plurals.push(Object.keys(options))
      for (const option of Object.values(options)) walk(option.value)
    }
  }
  walk(formatOf(message, 'en').getAst() as unknown as Node[])
  return { found, plurals }
}

const formatOf = (message: string, language: string) =>
  new IntlMessageFormat(message, language, undefined, { ignoreTag: true })

/** The words of the audit log are looked up by those of the service, to which a test of their own holds them. */
const BY_CODES = /^audit\.(tasks|done|groups|subjects|outcomes|fields|values|seal\.reasons)\./

describe('the texts of the console', () => {
  for (const language of languages) {
    it(`are there for every area, and for no other: ${language}`, () => {
      assert.deepEqual(
        globSync(`${language}/*.ts`, { cwd: here }).sort(),
        areas.map((area) => `${language}/${area}.ts`).sort(),
      )
    })

    for (const area of areas) {
      it(`have every message that English has, with the same arguments: ${language}/${area}`, async () => {
        const [messages, english] = [await messagesOf(language, area), await messagesOf('en', area)]
        assert.deepEqual([...messages.keys()].sort(), [...english.keys()].sort())
        for (const [at, message] of messages) {
          assert.match(message, /^\S(.*\S)?$/s, at)
          assert.deepEqual(named(message).found, named(english.get(at) as string).found, at)
        }
      })

      it(`are said as the library of the emails says them: ${language}/${area}`, async () => {
        for (const [at, message] of await messagesOf(language, area)) {
          const { found } = named(message)
          for (const count of [0, 1, 2, 7, 1234]) {
            const values = Object.fromEntries(
              [...found].map(([name, type]) => [name, type === 1 ? `«${name}»` : count]),
            )
            assert.equal(compile(message, language)(values), formatOf(message, language).format(values), at)
          }
        }
      })

      it(`have a form for each number that people meet: ${language}/${area}`, async () => {
        const rules = new Intl.PluralRules(language)
        const needed = new Set(Array.from({ length: 10_000 }, (_, index) => rules.select(index)))
        for (const [at, message] of await messagesOf(language, area))
          for (const forms of named(message).plurals)
            for (const form of needed) assert.ok(forms.includes(form), `${at} lacks ${form}`)
      })
    }
  }

  it('are said where the library’s syntax is used in full', () => {
    const message = '{n, plural, =0 {none} one {# of {name}} other {{kind, select, a {A {n}} other {B}}}}'
    for (const n of [0, 1, 5])
      for (const kind of ['a', 'x'])
        assert.equal(
          compile(message, 'en')({ n, kind, name: 'x' }),
          formatOf(message, 'en').format({ n, kind, name: 'x' }),
        )
  })

  it('lack no value in silence', () => {
    assert.throws(() => compile('{name}', 'en')({}), /lacks name/)
    assert.throws(() => compile('{name', 'en'), /can’t be read/)
  })

  it('are all of use', async () => {
    const source = globSync('../**/*.{ts,tsx}', { cwd: here, exclude: ['../texts/{en,es,pt}/**'] })
      .map((file) => readFileSync(path.join(here, file), 'utf8'))
      .join('\n')
    const unused: string[] = []
    // Problems are looked up by their codes, and what is common to pages stands ready for the next one.
    for (const area of areas.filter((each) => each !== 'problems' && each !== 'common'))
      for (const [at] of await messagesOf('en', area))
        if (
          !`${area}.${at}`.match(BY_CODES) &&
          !at.split('.').every((key) => new RegExp(`[.{,\\s'\\[]${key}\\b`).test(source))
        )
          unused.push(`${area}: ${at}`)
    assert.deepEqual(unused, [])
  })
})
