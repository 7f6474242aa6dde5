import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type LanguageTag, languages } from '../../src/lib/languages.ts'
import { PASSWORD, signUp } from '../support/people.ts'
import { DESKTOP, useConsole } from './support/console.ts'
import { addDevice } from './support/devices.ts'
import { emailTo } from './support/emails.ts'

// A passkey from its addition to its removal, in each language and by the keyboard alone.

const site = await useConsole()
const { client, db } = site.service

/** The texts of an area of the console, to find its buttons and fields by. */
// biome-ignore lint/suspicious/noExplicitAny: the texts of any area
const textsOf = async (language: LanguageTag, area: string): Promise<any> =>
  (await import(`../../console/src/texts/${language}/${area}.ts`)).default

/** Of browsers that speak them. */
const LOCALES = { en: 'en-US', es: 'es-MX', pt: 'pt-BR' } as const

for (const language of languages)
  it(`is added, signs in by itself after a sign-out, gets another name and is removed: ${language}`, async () => {
    const [auth, account, shell, home] = await Promise.all(
      ['auth', 'account', 'shell', 'home'].map((area) => textsOf(language, area)),
    )
    const { factors } = account
    const ann = await signUp(client, { name: 'Ann Lovelace', locale: language })
    const visit = await site.open({ locale: LOCALES[language], viewport: DESKTOP })
    const { page } = visit
    // As in a browser that offers no passkeys under the address.
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    await addDevice(visit)
    const press = async (name: string | RegExp, role: 'button' | 'menuitem' = 'button') => {
      const target = page.getByRole(role, { name, exact: true })
      await target.focus()
      await page.keyboard.press('Enter')
    }
    const type = async (name: string | RegExp, text: string) => {
      const field = page.getByLabel(name, { exact: true })
      await field.focus()
      await page.keyboard.press('Control+A')
      await page.keyboard.type(text)
    }
    // A hyphen does not break a line of a label.
    const startingWith = (text: string) => new RegExp(`^${text.replaceAll('-', '.')}`)

    await visit.goto('/sign-in?to=%2Faccount%2Fsecurity')
    await type(startingWith(auth.fields.email), ann.email)
    await type(auth.fields.password, PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname === '/account/security')
    assert.equal(await page.evaluate('document.documentElement.lang'), language)
    await press(factors.addPasskey)
    await type(startingWith(factors.name), 'Laptop')
    await page.keyboard.press('Enter')
    await page.getByLabel(startingWith(factors.emailCode)).waitFor()
    const code = /^\d{8}$/m.exec(await emailTo(site, ann.email, 'mailbox_code'))?.[0] ?? ''
    await type(startingWith(factors.emailCode), code)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: factors.codesTitle }).waitFor()
    await press(factors.kept)

    await press(new RegExp(shell.accountMenu))
    await press(shell.signOut, 'menuitem')
    await page.getByRole('heading', { name: auth.signIn.title, exact: true }).waitFor()
    await press(auth.signIn.passkey)
    await page.getByRole('heading', { name: home.greeting.replace('{name}', ann.name) }).waitFor()

    await visit.goto('/account/security')
    const named = (text: string, name: string) => text.replace('{name}', name)
    await press(named(factors.renameNamed, 'Laptop'))
    await type(factors.name, 'Old laptop')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: named(factors.removeNamed, 'Old laptop') }).waitFor()
    await press(named(factors.removeNamed, 'Old laptop'))
    await page.getByText(factors.removeLast).waitFor()
    await press(factors.removeAction)
    await page.getByText(factors.removed).waitFor()
    assert.deepEqual(await db.query('select id from second_factors where account_id = $1', [ann.id]), [])
    visit.assertClean()
    await visit.close()
  })
