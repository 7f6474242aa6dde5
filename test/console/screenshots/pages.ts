import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { newId } from '../../../src/lib/ids.ts'
import { closing, setPolicy } from '../../support/policies.ts'
import { DESKTOP, PHONE, TABLET, useConsole, type Visit } from '../support/console.ts'
import { signUp } from '../support/people.ts'

// Takes every page at three widths, light and dark, for people to look at: npm run screenshots.

const FOLDER = path.join(import.meta.dirname, '..', '..', '..', 'screenshots')
const site = await useConsole()
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
const ofCompany = ['home', ...ofMembers, 'roles', 'branches', 'audit', ...ofSettings]

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER)

async function take({ page, goto }: Visit, address: string, name: string): Promise<void> {
  await goto(address)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  for (const viewport of [PHONE, TABLET, DESKTOP])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await page.evaluate('scrollTo(0, 0)')
      await page.screenshot({ path: path.join(FOLDER, `${name}-${viewport.width}-${colorScheme}.png`), fullPage: true })
    }
  await page.setViewportSize(DESKTOP)
}

describe('screenshots', () => {
  it('of the pages before sign-in', async () => {
    const visit = await site.open()
    for (const page of outside) await take(visit, `/${page}`, page)
    await visit.close()
  })

  it('of the pages after sign-in', async () => {
    const visit = await site.open()
    await signUp(visit)
    const company = new URL(visit.page.url()).pathname
    for (const page of ofCompany)
      await take(visit, page === 'home' ? company : `${company}/${page}`, `company-${page.replace('/', '-')}`)
    await take(visit, `/c/${newId()}`, 'company-of-others')
    for (const page of ofAccount) await take(visit, `/${page}`, page.replace('/', '-'))
    await setPolicy(site.service.db, company.slice('/c/'.length), closing.second_factor_required_by_company)
    await take(visit, company, 'company-closed')
    await visit.close()
  })
})
