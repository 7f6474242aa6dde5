import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { CONSOLE_PATHS } from '../../src/features/console/paths.ts'
import { anyEmail, PASSWORD, signUp as signUpByApi } from '../support/people.ts'
import { DESKTOP, PHONE, useConsole, type Visit } from './support/console.ts'
import { linkTo, passwordTo } from './support/emails.ts'
import { signIn, signUp } from './support/people.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole()
const { client } = site.service
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

async function done(visit: Visit): Promise<void> {
  await visit.assertAccessible()
  visit.assertClean()
  await visit.close()
}

describe('every page', () => {
  for (const [name, viewport] of Object.entries({ PHONE, DESKTOP }))
    it(`keeps the policy, is accessible and does not scroll sideways: ${name}`, async () => {
      const ann = await signUpByApi(client)
      const roles = (await ann.api.get('/companies/roles?limit=100')).body.data
      const ids: Record<string, string> = { $companyId: ann.company.id, $memberId: ann.id, $roleId: roles[0].id }
      const visit = await openAs(site, ann, { to: `/c/${ann.company.id}`, viewport })
      const { page } = visit
      for (const path of CONSOLE_PATHS) {
        await visit.goto(path.replaceAll(/\$\w+/g, (part) => ids[part] ?? ''))
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.waitForLoadState('networkidle')
        await visit.assertAccessible()
        const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.equal(wide, 0, `${path} is wider than the window`)
      }
      visit.assertClean()
      await visit.close()
    })
})

describe('a new company', () => {
  it('is signed up, confirmed, and joined by its first member, on phones', async () => {
    const visit = await site.open({ viewport: PHONE })
    const { page } = visit
    const email = await signUp(visit, { name: 'Ann Lovelace', company: 'Lovelace Coffee' })
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByText(`A link is on its way to ${email}.`).waitFor()
    await visit.goto(await linkTo(site, email, 'confirm_email'))
    await page.getByRole('button', { name: 'Confirm email address' }).click()
    await heading(page, 'Email address confirmed').waitFor()
    await visit.goto('/')
    await heading(page, 'Hello, Ann Lovelace').waitFor()
    await page.getByText('Confirm your email address').waitFor({ state: 'detached' })

    await page.getByRole('link', { name: 'Invite members' }).click()
    await page.getByRole('dialog', { name: 'Invite by email' }).getByLabel('Email address').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await page.getByRole('button', { name: 'Add member' }).click()
    const member = anyEmail()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email address').fill(member)
    await dialog.getByLabel('Name', { exact: true }).fill('Bob Byron')
    await dialog.getByRole('button', { name: 'Add member' }).click()
    await page.getByRole('heading', { name: 'Bob Byron is now a member' }).waitFor()

    const bob = await site.open({ viewport: PHONE })
    const temporary = await passwordTo(site, member, 'temporary_password')
    await bob.goto('/sign-in')
    await signIn(bob, member, temporary)
    await heading(bob.page, 'Choose your own password').waitFor()
    await bob.page.getByLabel('New password').fill(PASSWORD)
    await bob.page.getByRole('button', { name: 'Save password' }).click()
    await heading(bob.page, ' added you').waitFor()
    await bob.page.getByRole('button', { name: 'Open company' }).click()
    await heading(bob.page, 'Hello, Bob Byron').waitFor()
    await bob.page.getByRole('button', { name: 'Open navigation' }).click()
    await bob.page.getByRole('button', { name: /^Lovelace Coffee/ }).waitFor()
    assert.equal(await bob.page.getByRole('link', { name: 'Invite members' }).count(), 0)
    await done(bob)

    await page.getByRole('link', { name: 'View member' }).click()
    await heading(page, 'Bob Byron').waitFor()
    await done(visit)
  })
})

describe('the home of a new company', () => {
  it('leads straight to inviting someone', async () => {
    const ann = await signUpByApi(client, { name: 'Ann' })
    const visit = await openAs(site, ann, { to: `/c/${ann.company.id}` })
    const { page } = visit
    await page.getByRole('link', { name: 'Invite members' }).click()
    await page.getByRole('dialog', { name: 'Invite by email' }).getByLabel('Email address').waitFor()
    assert.equal(new URL(page.url()).search, '')
    await page.keyboard.press('Escape')
    await page.goBack()
    await heading(page, 'Hello, Ann').waitFor()
    visit.assertClean()
    await visit.close()
  })
})

describe('the keyboard alone', () => {
  it('leads from the sign-in to a new member', async () => {
    const ann = await signUpByApi(client, { name: 'Ann' })
    const visit = await site.open()
    const { page } = visit
    const { keyboard } = page
    await visit.goto('/sign-in')
    await heading(page, 'Sign in').waitFor()
    // The first field has the focus already.
    await keyboard.type(ann.email)
    await keyboard.press('Tab')
    await keyboard.type(PASSWORD)
    await keyboard.press('Enter')
    await heading(page, 'Hello, Ann').waitFor()

    await tabTo(page, 'a', 'Members')
    await keyboard.press('Enter')
    await heading(page, 'Members').waitFor()
    await tabTo(page, 'button', 'Add member')
    await keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await visit.assertAccessible()

    const email = anyEmail()
    await tabTo(page, 'input[type=email]', '')
    await keyboard.type(email)
    await tabTo(page, 'input[name=name]', '')
    await keyboard.type('Bob Byron')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Bob Byron is now a member' }).waitFor()
    await keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Add member')
    const { total } = (await ann.api.get(`/companies/users?search=${email}`)).body
    assert.equal(total, 1)
    await done(visit)
  })
})

const STEPS_MAX = 60

/** Presses Tab until the focus is on it, as a person does who can’t use a pointer. */
async function tabTo(page: Page, selector: string, text: string): Promise<void> {
  const isThere = `document.activeElement.matches(${JSON.stringify(selector)}) &&
    (document.activeElement.textContent ?? '').trim() === ${JSON.stringify(text)}`
  for (let step = 0; step < STEPS_MAX; step++) {
    if (await page.evaluate(isThere)) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab does not reach ${selector} ${text}`)
}
