import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { type Config, readConfig } from '../../config/config.ts'
import { DEFAULT_LANGUAGE, languages } from '../../lib/languages.ts'
import type { Problem } from '../../problems.ts'
import { assertAcceptablePassword, NewPassword } from '../accounts/password-policy.ts'
import {
  cancelFactorResetPage,
  homePage,
  invitationPage,
  resetPasswordPage,
  undoEmailChangePage,
  undoFactorChangePage,
  verifyEmailPage,
} from './pages.ts'

const everything = { signIn: 'https://app.example.com', documentation: true, mailbox: true }
const pages = [
  homePage(everything),
  verifyEmailPage(everything),
  resetPasswordPage(everything),
  undoEmailChangePage(),
  undoFactorChangePage(),
  cancelFactorResetPage(),
  invitationPage(everything),
]
const ASSETS = path.join(import.meta.dirname, 'assets')
const SECONDS_MAX = 3600
const read = (file: string) => readFileSync(path.join(ASSETS, file), 'utf8')
// biome-ignore lint/suspicious/noExplicitAny: the scripts of the pages have no types.
const load = (file: string): Promise<any> => import(path.join(ASSETS, file))
const textsOf = async (language: string) => (await load(`texts.${language}.js`)).default

/** Every sentence by its path; of those that depend on something, what they say for one. */
function sentencesIn(part: object, at: string[] = []): Map<string, string> {
  const found = Object.entries(part).flatMap(([key, value]): (readonly [string, string])[] => {
    const said = typeof value === 'function' ? value(2) : value
    const here = [...at, key]
    return typeof said === 'object' ? [...sentencesIn(said, here)] : [[here.join('.'), said]]
  })
  return new Map(found)
}

describe('the texts of the pages', () => {
  it('are there in every language of the service, and in no other', () => {
    const files = readdirSync(ASSETS).filter((file) => /^texts\..+\.js$/.test(file))
    assert.deepEqual(files, languages.map((language) => `texts.${language}.js`).sort())
  })

  for (const language of languages) {
    it(`have every sentence that English has, no other, and none blank: ${language}`, async () => {
      const [sentences, english] = [sentencesIn(await textsOf(language)), sentencesIn(await textsOf('en'))]

      assert.deepEqual([...sentences.keys()].sort(), [...english.keys()].sort())
      for (const [at, said] of sentences) assert.match(said, /^\S.*\S$/, at)
      for (const [at, said] of sentences) assert.ok(language === 'en' || said !== english.get(at), at)
    })

    it(`have a form for each number of seconds: ${language}`, async () => {
      const { tooManyRequests } = (await textsOf(language)).trouble
      const numbers = new Intl.NumberFormat(language)
      for (let seconds = 1; seconds <= SECONDS_MAX; seconds++) {
        const said = tooManyRequests(seconds)
        assert.ok(
          said.includes(` ${numbers.format(seconds)} seg`) || said.includes(` ${numbers.format(seconds)} sec`),
          said,
        )
      }
      assert.notEqual(tooManyRequests(1).replace('1', '2'), tooManyRequests(2))
      assert.doesNotMatch(tooManyRequests(0), /\d/)
    })

    it(`say what the API has against a password: ${language}`, async () => {
      const { refused } = (await textsOf(language)).choosePassword
      const said = reasonsAgainstPasswords().map(refused)

      assert.equal(new Set([...said, refused('whatever else')]).size, said.length + 1)
      if (language !== 'en') for (const reason of reasonsAgainstPasswords()) assert.ok(!said.join().includes(reason))
    })

    it(`are chosen for a browser that wants them, and the page says so: ${language}`, async () => {
      assert.equal(await chosenFor([`${language}-XX`, 'en']), language)
      assert.equal(await chosenFor(['xx', language.toUpperCase(), 'en', 'es', 'pt']), language)
    })

    it(`have the sentence for browsers without JavaScript: ${language}`, () => {
      for (const page of pages) assert.match(page.withoutScript[language], /JavaScript.*\.$/)
    })

    it(`are in the language of the email, whatever the browser wants: ${language}`, async () => {
      for (const wanted of [[], ['en'], ['es', 'pt'], ['de']]) {
        assert.equal(await chosenFor(wanted, `?token=x&lang=${language}`), language)
      }
    })
  }

  it('follow the browser where a link names a language that we have not', async () => {
    for (const lang of ['', 'xx', 'constructor', '__proto__', '%00', 'e-s'])
      assert.equal(await chosenFor(['es'], `?lang=${lang}`), 'es', lang)
  })

  it('are English for a browser that wants what we have not', async () => {
    for (const wanted of [[], ['xx'], ['constructor', '__proto__'], ['de-AT', 'fr']]) {
      assert.equal(await chosenFor(wanted), DEFAULT_LANGUAGE)
    }
  })

  it('are all of use', async () => {
    const scripts = readdirSync(ASSETS).filter((file) => /\.js$/.test(file) && !file.startsWith('texts.'))
    const source = [...scripts.map(read), ...pages.map(({ main }) => main.source)].join('\n')
    const keys = new Set([...sentencesIn(await textsOf('en')).keys()].flatMap((at) => at.split('.')))
    const unused = [...keys].filter((key) => !new RegExp(`[.{,"\\s]${key}\\b`).test(source))
    assert.deepEqual(unused, [])
  })
})

let loads = 0

/** What `texts.js` chooses in a browser with these languages, at an address with this query. */
async function chosenFor(wanted: string[], search = ''): Promise<string> {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'navigator') as PropertyDescriptor
  Object.defineProperty(globalThis, 'location', { value: { search }, configurable: true })
  Object.defineProperty(globalThis, 'navigator', { value: { languages: wanted }, configurable: true })
  try {
    const { language, texts } = await load(`texts.js?${++loads}`)
    assert.equal(texts, await textsOf(language))
    return language
  } finally {
    Object.defineProperty(globalThis, 'navigator', own)
    Reflect.deleteProperty(globalThis, 'location')
  }
}

/** In the words of the API. */
function reasonsAgainstPasswords(): string[] {
  const malformed = ['', 'a'.repeat(129), '\0'].flatMap((text) => NewPassword.safeParse(text).error?.issues ?? [])
  const config: Config = {
    ...readConfig({ NODE_ENV: 'test', APP_SECRET: 'k2h9-3jfq-8vz1-m4xw-7tbn-5rcd-0pgs' }),
    passwordBlocklist: true,
  }
  const unfit = ['Ann7@example.com', 'Password1'].map((password) => {
    try {
      assertAcceptablePassword(password, 'ann7@example.com', config, 'newPassword')
    } catch (error) {
      return (error as Problem).context.details?.[0]?.message
    }
    return undefined
  })
  assert.ok(unfit.every(Boolean))
  return [...new Set([...malformed.map(({ message }) => message), ...(unfit as string[])])]
}
