import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { addMember, createRole, join } from '../support/members.ts'
import { type Person, signUp } from '../support/people.ts'
import { PHONE, useConsole, type Visit } from './support/console.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole()
const { client } = site.service
const CANARY = 'Canary Wharfinger'

/** A person in two companies: in one of them there is a member whose name must never be seen in the other. */
async function inTwoCompanies() {
  const ann = await signUp(client, { name: 'Ann' })
  const other = await signUp(client, { name: 'Olive' })
  await addMember(other, { name: CANARY })
  await join(other, ann, ['Admin'])
  return { ann, other }
}

const membersOf = ({ company }: Pick<Person, 'company'>) => `/c/${company.id}/members`

/** From now on each change of the page is looked at: what it shows while it names this company as the current one. */
const watchFor = (page: Page, words: string, company: string) =>
  page.evaluate(`{
    globalThis.leaks = []
    const look = () => {
      const isShown = document.querySelector('nav button')?.textContent.includes(${JSON.stringify(company)})
      if (isShown && document.documentElement.innerHTML.includes(${JSON.stringify(words)})) leaks.push(location.pathname)
    }
    look()
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
  }`)

const leaksIn = (page: Page): Promise<unknown> => page.evaluate('leaks')
const link = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name, exact: true })

async function visitAll({ page }: Pick<Visit, 'page'>): Promise<void> {
  for (const name of ['Home', 'Roles', 'Branches', 'Audit log', 'Settings', 'Members']) {
    await link(page, name).click()
    await page.locator('a[aria-current="page"]', { hasText: name }).first().waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
  }
}

describe('two companies', () => {
  it('are apart in two tabs', async () => {
    const { ann, other } = await inTwoCompanies()
    const visit = await openAs(site, ann, { to: membersOf(other) })
    await visit.page.getByText(CANARY).first().waitFor()
    const own = await visit.page.context().newPage()
    await own.goto(site.origin + membersOf(ann))
    await own.getByRole('heading', { name: 'Members', level: 1 }).waitFor()
    await watchFor(own, CANARY, ann.company.name)
    await visitAll({ page: own })
    await visit.page.reload()
    await visit.page.getByText(CANARY).first().waitFor()
    await visitAll({ page: own })
    assert.deepEqual(await leaksIn(own), [])
    await visit.close()
  })

  it('are apart in one tab that switches between them', async () => {
    const { ann, other } = await inTwoCompanies()
    const visit = await openAs(site, ann, { to: membersOf(other) })
    const { page } = visit
    await page.getByText(CANARY).first().waitFor()
    await watchFor(page, CANARY, ann.company.name)
    const switchTo = async (name: string) => {
      await page.getByRole('button', { name: /Switch company/ }).click()
      await page.getByRole('menuitem', { name }).click()
      await page.getByRole('button', { name: `${name} Switch company` }).waitFor()
    }
    await switchTo(ann.company.name)
    await visitAll(visit)
    await visit.assertAccessible()
    await switchTo(other.company.name)
    await link(page, 'Members').click()
    await page.getByText(CANARY).first().waitFor()
    await page.goBack()
    await page.goBack()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    assert.deepEqual(await leaksIn(page), [])

    // The watch itself sees the name where it belongs.
    await visit.goto(membersOf(other))
    await page.getByText(CANARY).first().waitFor()
    await watchFor(page, CANARY, other.company.name)
    assert.deepEqual(await leaksIn(page), [membersOf(other)])
    visit.assertClean()
    await visit.close()
  })

  it('of others are not there, whatever the address says', async () => {
    const { ann } = await inTwoCompanies()
    const stranger = await signUp(client, { name: 'Sam' })
    await addMember(ann, { name: CANARY })
    const visit = await openAs(site, stranger, { to: membersOf(ann) })
    const { page } = visit
    await page.getByRole('heading', { name: 'You’re not in this company' }).waitFor()
    const shown = await page.content()
    for (const secret of [CANARY, ann.company.name, ann.email]) assert.ok(!shown.includes(secret), secret)
    await visit.assertAccessible()
    visit.assertClean()
    await visit.close()
  })
})

describe('a right that is taken away while the page is open', () => {
  it('takes what needs it off the page at the next step', async () => {
    const owner = await signUp(client, { name: 'Olive' })
    const bob = await signUp(client, { name: 'Bob' })
    await createRole(owner, 'Guest')
    await join(owner, bob, ['Admin'])
    const visit = await openAs(site, bob, { to: membersOf(owner), viewport: PHONE })
    const { page } = visit
    await page.getByRole('button', { name: 'Add member' }).waitFor()
    const roles = (await owner.api.get('/companies/roles?limit=100')).body.data as { id: string; name: string }[]
    const guest = roles.find(({ name }) => name === 'Guest')
    const changed = await owner.api.patch(`/companies/users/${bob.id}`, { roleIds: [guest?.id] })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))

    await page.getByLabel('Search by name or email address').fill('Oli')
    await page.getByText('You don’t have permission to see this').waitFor()
    await page.getByRole('button', { name: 'Add member' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Open navigation' }).click()
    await page.getByRole('link', { name: 'Settings' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Members', exact: true }).count(), 0)
    await visit.assertAccessible()
    visit.assertClean()
    await visit.close()
  })
})
