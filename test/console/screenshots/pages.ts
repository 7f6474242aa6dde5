import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { newId } from '../../../src/lib/ids.ts'
import { type LanguageTag, languages } from '../../../src/lib/languages.ts'
import { startDnsServer } from '../../support/dns-server.ts'
import { rolesOf } from '../../support/members.ts'
import { type Person, signUp } from '../../support/people.ts'
import { closing, dropPolicy, setPolicy } from '../../support/policies.ts'
import { DESKTOP, PHONE, TABLET, useConsole, type Visit } from '../support/console.ts'
import { openAs } from '../support/sign-in.ts'
import { createNorthwind, fillNorthwind } from './northwind.ts'

/*
 * Takes every page at three widths, light and dark, for people to look at: npm run screenshots. In English, or in the
 * languages that SCREENSHOT_LANGUAGES names, such as en,es,pt.
 */

const FOLDER = path.join(import.meta.dirname, '..', '..', '..', 'screenshots')
const wanted = process.env.SCREENSHOT_LANGUAGES?.split(',') ?? ['en']
const dns = await startDnsServer()
after(() => dns.close())
const site = await useConsole({ DNS_SERVERS: dns.address })

const outside = ['sign-in', 'sign-up', 'reset-password', 'verify-email', 'undo-email-change', 'invitation', 'join']
const ofAccount = [
  'account',
  'account/security',
  'account/sessions',
  'companies/new',
  'companies/deleted',
  'companies/join',
]
const ofMembers = ['members', 'members/invitations', 'members/requests']
const ofSettings = ['settings', 'settings/policy', 'settings/domains']
const ofCompany = ['', ...ofMembers, 'roles', 'branches', 'audit', ...ofSettings]

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER)

/** Until colors and sizes have changed everywhere. */
const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

/** Opens pages one after the other, and takes pictures of each. */
const photographer = ({ page, goto }: Visit, language: LanguageTag) => {
  const shoot = async (name: string, { fullPage = true } = {}) => {
    await page.waitForLoadState('networkidle')
    for (const viewport of [PHONE, TABLET, DESKTOP])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme })
        await page.evaluate('scrollTo(0, 0)')
        await page.evaluate(TWO_FRAMES)
        const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
        assert.ok(width <= viewport.width, `${name} scrolls sideways at ${viewport.width} in ${language}`)
        const file = [name, ...(language === 'en' ? [] : [language]), viewport.width, colorScheme].join('-')
        await page.screenshot({ path: path.join(FOLDER, `${file}.png`), fullPage })
      }
    await page.setViewportSize(DESKTOP)
  }
  return {
    shoot,
    take: async (address: string, name = address.slice(1).replaceAll('/', '-')) => {
      await goto(address)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await shoot(name)
    },
  }
}

/** Signed in, with the pages in the language. */
async function openIn(language: LanguageTag, person: Person): Promise<Visit> {
  await person.api.put('/auth/profile', { locale: 'en' })
  const visit = await openAs(site, person, { to: '/account' })
  await person.api.put('/auth/profile', { locale: language })
  return visit
}

/** The texts of a page, to find its buttons by. */
const textsOf = async <Area>(language: LanguageTag, area: string): Promise<Area> =>
  (await import(`../../../console/src/texts/${language}/${area}.ts`)).default

const ann = await createNorthwind(site)
await fillNorthwind(site, dns, ann)
const company = `/c/${ann.company.id}`

for (const language of languages.filter((each) => wanted.includes(each)))
  describe(`screenshots: ${language}`, () => {
    it('of the pages before sign-in', async () => {
      const visit = await site.open({ locale: language })
      const { take } = photographer(visit, language)
      for (const page of outside) await take(`/${page}`)
      await visit.close()
    })

    it('of a company', async () => {
      const visit = await openIn(language, ann)
      const { take } = photographer(visit, language)
      const roles = await rolesOf(ann)
      const [member] = (await ann.api.get('/companies/users?search=bruno')).body.data
      for (const page of ofCompany)
        await take(`${company}/${page}`.replace(/\/$/, ''), `company-${page.replace('/', '-') || 'home'}`)
      await take(`${company}/members/${member.id}`, 'company-member')
      await take(`${company}/roles/${roles.Manager}`, 'company-role-built-in')
      await take(`${company}/roles/${roles['Shift lead']}`, 'company-role')
      await take(`${company}/roles/new`, 'company-role-new')
      await visit.close()
    })

    it('of dialogs', async () => {
      const visit = await openIn(language, ann)
      const { shoot } = photographer(visit, language)
      const { page, goto } = visit
      // A hyphen may be one at which no line ends.
      const press = (text: string) =>
        page
          .getByRole('button', { name: new RegExp(`^${text.replace('-', '.')}$`) })
          .first()
          .click()
      const [members, inviting, audit, settings] = [
        await textsOf<typeof import('../../../console/src/texts/en/members.ts').default>(language, 'members'),
        await textsOf<typeof import('../../../console/src/texts/en/inviting.ts').default>(language, 'inviting'),
        await textsOf<typeof import('../../../console/src/texts/en/audit.ts').default>(language, 'audit'),
        await textsOf<typeof import('../../../console/src/texts/en/settings.ts').default>(language, 'settings'),
      ]
      for (const [name, address, button] of [
        ['add-member', 'members', members.add.action],
        ['invite', 'members', inviting.invite.action],
        ['export', 'audit', audit.export.open],
        ['transfer', 'settings', settings.ownership.start],
        ['delete', 'settings', settings.danger.removeAction],
      ] as const) {
        await goto(`${company}/${address}`)
        await press(button)
        await page.getByRole('dialog').waitFor()
        await shoot(`dialog-${name}`, { fullPage: false })
      }
      await visit.close()
    })

    it('of an account, and of companies that are not there', async () => {
      const person = await signUp(site.service.client, { name: 'Zoe Zhang', companyName: `Zenith ${language}` })
      const visit = await openIn(language, person)
      const { take } = photographer(visit, language)
      const own = `/c/${person.company.id}`
      for (const page of ofAccount) await take(`/${page}`)
      for (const page of ['', 'branches', 'members/invitations', 'members/requests', 'settings/domains'])
        await take(`${own}/${page}`.replace(/\/$/, ''), `empty-${page.replace('/', '-') || 'home'}`)
      await take(`/c/${newId()}`, 'company-of-others')
      await setPolicy(site.service.db, person.company.id, closing.second_factor_required_by_company)
      await take(own, 'company-closed')
      await dropPolicy(site.service.db, person.company.id)
      await visit.close()
    })
  })
