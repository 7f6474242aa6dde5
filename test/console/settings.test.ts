import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { join } from '../support/members.ts'
import { PASSWORD, type Person, signUp } from '../support/people.ts'
import { DESKTOP, PHONE, useConsole } from './support/console.ts'
import { headingFocused } from './support/people.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole()
const { client, db } = site.service

const settingsOf = ({ company }: Person) => `/c/${company.id}/settings`
const companyOf = async (person: Person) => (await person.api.get(`/companies/${person.company.id}`)).body.data

describe('company settings', () => {
  for (const [name, viewport] of Object.entries({ PHONE, DESKTOP }))
    it(`can be edited, and the switcher shows the new name: ${name}`, async () => {
      const ann = await signUp(client)
      const visit = await openAs(site, ann, { to: settingsOf(ann), viewport })
      const { page } = visit
      await page.getByLabel('Company name').fill('')
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByText('Enter the name of your company.').waitFor()
      await visit.assertAccessible()
      await page.getByLabel('Company name').fill('Acme Coffee')
      await page.getByLabel('Short name').fill(`${ann.company.slug}-2`)
      await page.getByLabel('Time zone').selectOption('Europe/Lisbon')
      await page.getByLabel('Language').selectOption('pt-BR')
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByText('Changes saved').waitFor()
      const { name, slug, timezone, locale } = await companyOf(ann)
      assert.deepEqual(
        [name, slug, timezone, locale],
        ['Acme Coffee', `${ann.company.slug}-2`, 'Europe/Lisbon', 'pt-BR'],
      )
      if (viewport === PHONE) await page.getByRole('button', { name: 'Open navigation' }).click()
      await page.getByRole('button', { name: 'Acme Coffee Switch company' }).waitFor()
      visit.assertClean()
      await visit.close()
    })

  it('say at the field that a short name is taken', async () => {
    const [ann, bob] = [await signUp(client), await signUp(client)]
    const visit = await openAs(site, ann, { to: settingsOf(ann) })
    const { page } = visit
    await page.getByLabel('Short name').fill(bob.company.slug)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('This short name is already in use. Choose another one.').waitFor()
    assert.equal(await page.getByLabel('Short name').getAttribute('aria-invalid'), 'true')
    visit.assertClean()
    await visit.close()
  })

  it('show both versions when someone else saved in the meantime, and keep the chosen one', async () => {
    const ann = await signUp(client)
    const visit = await openAs(site, ann, { to: settingsOf(ann) })
    const { page } = visit
    const edit = async (mine: string, theirs: string) => {
      await page.getByLabel('Company name').fill(mine)
      await ann.api.patch(`/companies/${ann.company.id}`, { name: theirs, taxId: `T-${theirs}` })
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByRole('dialog', { name: /Someone else changed this/ }).waitFor()
    }
    await edit('Mine', 'Theirs')
    await page.getByRole('cell', { name: 'Theirs' }).waitFor()
    await page.getByRole('cell', { name: 'Mine' }).waitFor()
    await visit.assertAccessible()
    await page.getByRole('button', { name: 'Keep what’s saved' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    assert.equal(await page.getByLabel('Company name').inputValue(), 'Theirs')
    assert.equal((await companyOf(ann)).name, 'Theirs')

    await edit('Mine again', 'Theirs again')
    await page.getByRole('button', { name: 'Save my changes' }).click()
    await page.getByText('Changes saved').waitFor()
    const { name, taxId } = await companyOf(ann)
    assert.deepEqual([name, taxId], ['Mine again', 'T-Theirs again'])
    visit.assertClean()
    await visit.close()
  })

  it('can only be read, and the company only be left, by a member without permissions', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client))
    const visit = await openAs(site, bob, { to: settingsOf(ann) })
    const { page } = visit
    await page.getByText('Ask an administrator to change any of this.').waitFor()
    await page.getByRole('button', { name: 'Leave company' }).waitFor()
    for (const name of ['Save changes', 'Transfer ownership', 'Delete company'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name)
    await visit.assertAccessible()
    visit.assertClean()
    await visit.close()
  })
})

describe('an ownership transfer', () => {
  it('is started and canceled by the owner', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client, { name: 'Bob Byron' }))
    const visit = await openAs(site, ann, { to: settingsOf(ann), viewport: PHONE })
    const { page } = visit
    await page.getByRole('button', { name: 'Transfer ownership' }).click()
    const dialog = page.getByRole('dialog', { name: 'Transfer ownership' })
    await dialog.getByRole('button', { name: 'Start transfer' }).click()
    await dialog.getByText('Choose the member who is to become an owner.').waitFor()
    assert.equal(await dialog.getByLabel(ann.name).isDisabled(), true)
    await dialog.getByLabel('Bob Byron').check()
    await visit.assertAccessible()
    await dialog.getByRole('button', { name: 'Start transfer' }).click()
    await page.getByText('Waiting for Bob Byron to accept').waitFor()
    await visit.assertAccessible()
    assert.equal((await bob.api.get(`/companies/${ann.company.id}/ownership-transfer`)).status, 200)
    await page.getByRole('button', { name: 'Cancel transfer' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel transfer' }).click()
    await page.getByRole('button', { name: 'Transfer ownership' }).waitFor()
    visit.assertClean()
    await visit.close()
  })

  it('is accepted with the password by the member to whom it is offered, by keyboard alone', async () => {
    const ann = await signUp(client, { name: 'Ann Lovelace' })
    const bob = await join(ann, await signUp(client))
    await ann.api.post(`/companies/${ann.company.id}/ownership-transfer`, { userId: bob.id })
    const visit = await openAs(site, bob, { to: settingsOf(ann) })
    const { page } = visit
    await page.getByText('Ann Lovelace wants to transfer ownership to you').waitFor()
    await visit.assertAccessible()
    await tabTo(page, 'Accept ownership')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: /Accept ownership of/ })
    await dialog.locator('input[type=password]:focus').waitFor()
    await dialog.waitFor()
    await tabTo(page, 'Your current password')
    await page.keyboard.type('Wrong-horse-8')
    await page.keyboard.press('Enter')
    await dialog.getByText('Your current password is incorrect.').waitFor()
    await visit.assertAccessible()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByText(`You’re now an owner of ${ann.company.name}`).waitFor()
    await page.getByRole('button', { name: 'Delete company' }).waitFor()
    const me = await ann.api.get('/auth/me')
    assert.deepEqual(me.body.data.companyRoles[ann.company.id], ['Admin'])
    visit.assertClean()
    await visit.close()
  })

  it('is declined', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client))
    await ann.api.post(`/companies/${ann.company.id}/ownership-transfer`, { userId: bob.id })
    const visit = await openAs(site, bob, { to: settingsOf(ann), viewport: PHONE })
    const { page } = visit
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.getByRole('button', { name: 'Decline ownership' }).click()
    await page.getByText('Ownership declined').waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Ownership', exact: true }).count(), 0)
    assert.equal((await ann.api.get(`/companies/${ann.company.id}/ownership-transfer`)).status, 404)
    visit.assertClean()
    await visit.close()
  })

  it('that the other side has ended says so, to who acts on it and to who comes back', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client, { name: 'Bob Byron' }))
    const transfer = `/companies/${ann.company.id}/ownership-transfer`
    await ann.api.post(transfer, { userId: bob.id })
    const visit = await openAs(site, ann, { to: settingsOf(ann) })
    const { page } = visit
    const ended = page.getByText('This transfer has ended')
    await page.getByRole('button', { name: 'Cancel transfer' }).click()
    await bob.api.post(`${transfer}/decline`)
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel transfer' }).click()
    await ended.waitFor()
    await visit.assertAccessible()

    await ann.api.post(transfer, { userId: bob.id })
    await page.reload()
    await page.getByText('Waiting for Bob Byron to accept').waitFor()
    assert.equal((await bob.api.post(`${transfer}/accept`, { currentPassword: PASSWORD })).status, 200)
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await ended.waitFor()
    await page.getByRole('button', { name: 'Delete company' }).waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('button', { name: 'Transfer ownership' }).count(), 0)
    visit.assertClean()
    await visit.close()
  })

  it('asks for nothing that is not there', async () => {
    const ann = await signUp(client)
    const visit = await openAs(site, ann, { to: settingsOf(ann) })
    const refused: string[] = []
    visit.page.on('response', (response) => response.status() >= 400 && refused.push(response.url()))
    await visit.page.reload()
    await visit.page.getByRole('button', { name: 'Transfer ownership' }).waitFor()
    await visit.goto(`/c/${ann.company.id}`)
    await visit.page.getByRole('heading', { name: /Hello/ }).waitFor()
    await visit.page.waitForLoadState('networkidle')
    assert.deepEqual(refused, [])
    await visit.close()
  })

  /** Goes on by Tab until what has this name is focused. */
  async function tabTo(page: Page, name: string): Promise<void> {
    for (let step = 0; step < 60; step++) {
      const isThere = await page.evaluate(
        `(() => { const at = document.activeElement
          return [at?.labels?.[0]?.innerText, at?.innerText].includes(${JSON.stringify(name)}) })()`,
      )
      if (isThere) return
      await page.keyboard.press('Tab')
    }
    assert.fail(`${name} can’t be reached by Tab`)
  }
})

describe('the end of a company', () => {
  for (const [name, viewport] of Object.entries({ PHONE, DESKTOP }))
    it(`comes after its name was typed, and an owner takes it back: ${name}`, async () => {
      const ann = await signUp(client, { companyName: `Mill ${name}` })
      const visit = await openAs(site, ann, { to: settingsOf(ann), viewport })
      const { page } = visit
      await page.getByRole('button', { name: 'Delete company' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(`Type Mill ${name} to confirm`).fill('Mill')
      await dialog.getByRole('button', { name: 'Delete company' }).click()
      await dialog.getByText('This isn’t the name of the company.').waitFor()
      await visit.assertAccessible()
      assert.equal((await companyOf(ann)).status, 'active')
      await dialog.getByLabel(`Type Mill ${name} to confirm`).fill(`Mill ${name}`)
      await dialog.getByRole('button', { name: 'Delete company' }).click()

      await page.getByRole('heading', { name: 'Deleted companies' }).waitFor()
      await page.getByRole('button', { name: `Restore Mill ${name}` }).waitFor()
      await page.waitForLoadState('networkidle')
      await headingFocused(visit, 'Deleted companies')
      await visit.assertAccessible()
      assert.equal((await ann.api.get(`/companies/${ann.company.id}`)).status, 404)
      await page.getByRole('button', { name: `Restore Mill ${name}` }).click()
      await page.getByRole('button', { name: 'Restore company' }).click()
      await page.waitForURL((url) => url.pathname === `/c/${ann.company.id}`)
      await page.getByText(`Mill ${name} was restored`).waitFor()
      assert.equal((await companyOf(ann)).status, 'active')
      visit.assertClean()
      await visit.close()
    })

  it('lets a member leave, but not the last owner', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client))
    for (const [person, outcome] of [
      [ann, 'A company needs at least one active owner. Transfer ownership first.'],
      [bob, `You’ve left ${ann.company.name}`],
    ] as const) {
      const visit = await openAs(site, person, { to: settingsOf(ann) })
      const { page } = visit
      await page.getByRole('button', { name: 'Leave company' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Leave company' }).click()
      await page.getByText(outcome).waitFor()
      if (person === bob) await page.getByRole('heading', { name: /^Hello/ }).waitFor()
      await visit.assertAccessible()
      visit.assertClean()
      await visit.close()
    }
    const members = await ann.api.get('/companies/users')
    assert.deepEqual(
      members.body.data.map(({ id }: { id: string }) => id),
      [ann.id],
    )
  })
})

describe('another company', () => {
  it('is created, also where another one has the name', async () => {
    const ann = await signUp(client, { companyName: 'Café Lima' })
    const visit = await openAs(site, ann, { to: '/companies/new', viewport: PHONE })
    const { page } = visit
    await page.getByRole('button', { name: 'Create company' }).click()
    await page.getByText('Enter the tax ID of the company.').waitFor()
    await visit.assertAccessible()
    await page.getByLabel('Company name').fill('Café Lima')
    await page.getByLabel('Tax ID').fill('T-2')
    await page.getByRole('button', { name: 'Create company' }).click()
    await page.waitForURL(/\/c\/[0-9a-f-]{36}$/)
    assert.equal(page.url().includes(ann.company.id), false)
    const mine = await ann.api.get('/companies')
    assert.equal(mine.body.total, 2)
    visit.assertClean()
    await visit.close()
  })

  it('is nowhere to be seen by its address', async () => {
    const [ann, bob] = [await signUp(client), await signUp(client, { companyName: 'Canary Mill' })]
    const visit = await openAs(site, ann, { to: settingsOf(bob) })
    const { page } = visit
    await page.getByRole('heading', { name: 'You’re not in this company' }).waitFor()
    assert.equal((await page.content()).includes('Canary'), false)
    await visit.assertAccessible()
    await page.getByRole('link', { name: 'Open my company' }).click()
    await page.waitForURL((url) => url.pathname === `/c/${ann.company.id}`)
    visit.assertClean()
    await visit.close()
  })
})

describe('a suspended company', () => {
  const suspend = ({ company }: Person, to: 'now()' | 'null') =>
    db.query(`update companies set suspended_at = ${to} where id = $1`, [company.id])

  it('says so when a page that is open is refused, and opens again when that is over', async () => {
    const ann = await signUp(client)
    const visit = await openAs(site, ann, { to: settingsOf(ann) })
    const { page } = visit
    await page.getByLabel('Company name').fill('Too late')
    await suspend(ann, 'now()')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('heading', { name: `${ann.company.name} is suspended` }).waitFor()
    await page.getByRole('button', { name: /Suspended/ }).click()
    await page.getByRole('menuitem', { name: /Suspended/ }).waitFor()
    await visit.assertAccessible()
    await page.keyboard.press('Escape')
    assert.equal(await page.getByRole('link', { name: 'Settings' }).count(), 0)
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('The company is still suspended').waitFor()

    await suspend(ann, 'null')
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByLabel('Company name').waitFor()
    assert.equal((await companyOf(ann)).name, ann.company.name)
    visit.assertClean()
    await visit.close()
  })

  it('can be left', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client))
    await suspend(ann, 'now()')
    const visit = await openAs(site, bob, { to: `/c/${ann.company.id}`, viewport: PHONE })
    const { page } = visit
    await page.getByRole('heading', { name: `${ann.company.name} is suspended` }).waitFor()
    await visit.assertAccessible()
    await page.getByRole('button', { name: 'Leave company' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave company' }).click()
    await page.waitForURL((url) => url.pathname.startsWith('/c/') && !url.pathname.includes(ann.company.id))
    visit.assertClean()
    await visit.close()
  })
})
