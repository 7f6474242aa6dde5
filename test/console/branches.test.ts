import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createBranch, createBranchChain } from '../support/branches.ts'
import { createRole, join } from '../support/members.ts'
import { type Person, signUp } from '../support/people.ts'
import { DESKTOP, PHONE, useConsole, type Visit } from './support/console.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole()
const { client } = site.service

const visitAs = (person: Person, viewport = DESKTOP) =>
  openAs(site, person, { to: `/c/${person.company.id}/branches`, viewport })

async function finish(visit: Visit): Promise<void> {
  await visit.assertAccessible()
  visit.assertClean()
  await visit.close()
}

/** Europe (Iberia (Lisbon), Nordics), Asia. */
async function world() {
  const ann = await signUp(client, { name: 'Ann Lovelace' })
  const europe = await createBranch(ann, { name: 'Europe' })
  const asia = await createBranch(ann, { name: 'Asia' })
  const iberia = await createBranch(ann, { name: 'Iberia', parentId: europe.id })
  const lisbon = await createBranch(ann, { name: 'Lisbon', parentId: iberia.id, code: 'LX-9' })
  const nordics = await createBranch(ann, { name: 'Nordics', parentId: europe.id })
  return { ann, europe, asia, iberia, lisbon, nordics }
}

/** Also while a dialog is open above the tree. */
const item = (page: Page, name: string) =>
  page.getByRole('treeitem', { name: new RegExp(`^${name}`), includeHidden: true })
const read = async ({ api }: Person, { id }: { id: string }) => (await api.get(`/companies/branches/${id}`)).body.data
const focused = (page: Page) => page.locator(':focus').textContent()

/** The buttons of the selected branch: beside the tree, or in a dialog where there is no room. */
const panelOf = (page: Page, viewport: typeof DESKTOP, name: string) =>
  viewport === PHONE
    ? page.getByRole('dialog', { name })
    : page.getByRole('complementary', { name: `Details of ${name}` })

describe('the branches of a company', () => {
  for (const [name, viewport] of Object.entries({ PHONE, DESKTOP })) {
    it(`are added, edited, moved, deactivated and deleted: ${name}`, async () => {
      const ann = await signUp(client, { name: 'Ann Lovelace' })
      const visit = await visitAs(ann, viewport)
      const { page } = visit
      await page.getByText('No branches yet').waitFor()
      await visit.assertAccessible()
      await page.getByRole('button', { name: 'Add branch' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Europe')
      await visit.assertAccessible()
      await page.getByRole('dialog').getByRole('button', { name: 'Add branch' }).click()
      await item(page, 'Europe').click()

      await panelOf(page, viewport, 'Europe').getByRole('button', { name: 'Add below' }).click()
      await page.getByText('Below Europe.').waitFor()
      await page.getByLabel('Name', { exact: true }).fill('Lisbon')
      await page.getByLabel('Time zone').selectOption('Europe/Lisbon')
      await page.getByRole('dialog').getByRole('button', { name: 'Add branch' }).click()
      if (viewport === PHONE) await panelOf(page, viewport, 'Europe').getByRole('button', { name: 'Close' }).click()
      await item(page, 'Lisbon').click()
      const lisbon = panelOf(page, viewport, 'Lisbon')
      await lisbon.getByText('Europe/Lisbon').waitFor()
      await lisbon.getByText('No members').waitFor()
      await visit.assertAccessible()

      await lisbon.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Porto')
      await page.getByRole('textbox', { name: /^Code/ }).fill('OP-1')
      await page.getByRole('button', { name: 'Save changes' }).click()
      await item(page, 'Porto').waitFor()
      const porto = panelOf(page, viewport, 'Porto')
      await porto.getByText('OP-1').waitFor()

      await porto.getByRole('button', { name: 'Move to…' }).click()
      const move = page.getByRole('dialog', { name: 'Move Porto' })
      await move.getByText('It is here now').waitFor()
      assert.ok(await move.getByLabel('Europe').isDisabled())
      await move.getByLabel('Top level').check()
      await visit.assertAccessible()
      await move.getByRole('button', { name: 'Move branch' }).click()
      await page.getByText('Porto is now at the top level').waitFor()
      assert.equal(await item(page, 'Porto').getAttribute('aria-level'), '1')

      await porto.getByRole('button', { name: 'Deactivate' }).click()
      await page.getByRole('button', { name: 'Deactivate branch' }).click()
      await porto.getByText('Nothing can be added while this branch is inactive.').waitFor()
      await porto.getByRole('button', { name: 'Activate' }).click()
      await page.getByRole('button', { name: 'Activate branch' }).click()
      await porto.getByRole('button', { name: 'Deactivate' }).waitFor()

      await porto.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('button', { name: 'Delete branch' }).click()
      await page.getByText('Porto deleted').waitFor()
      await item(page, 'Porto').waitFor({ state: 'detached' })
      await page.locator('[role="treeitem"]:focus').waitFor()
      const { body } = await ann.api.get('/companies/branches')
      assert.deepEqual(
        body.data.map((branch: { name: string }) => branch.name),
        ['Europe'],
      )
      await finish(visit)
    })
  }

  it('are gone through, cut and pasted by the keyboard alone', async () => {
    const { ann, asia, iberia } = await world()
    const visit = await visitAs(ann)
    const { page } = visit
    await item(page, 'Asia').focus()
    await page.keyboard.press('ArrowDown')
    assert.match(String(await focused(page)), /^Europe/)
    await page.keyboard.press('ArrowRight')
    assert.match(String(await focused(page)), /^Iberia/)
    await page.keyboard.press('ArrowLeft')
    assert.equal(await item(page, 'Iberia').getAttribute('aria-expanded'), 'false')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    assert.equal(await item(page, 'Europe').getAttribute('aria-expanded'), 'false')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('i')
    assert.match(String(await focused(page)), /^Iberia/)

    await page.keyboard.press('Control+x')
    await page.getByRole('status').getByText('Moving Iberia.').waitFor()
    await visit.assertAccessible()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Control+v')
    await page.getByRole('alert').getByText('A branch can’t be below itself.').waitFor()

    await item(page, 'Iberia').focus()
    await page.keyboard.press('Control+x')
    await page.keyboard.press('Home')
    assert.match(String(await focused(page)), /^Asia/)
    await page.keyboard.press('Control+v')
    await page.getByText('Iberia is now below Asia').waitFor()
    assert.equal((await read(ann, iberia)).parentId, asia.id)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('F2')
    await page.getByRole('dialog', { name: 'Edit Iberia' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Peninsula')
    await page.keyboard.press('Enter')
    await item(page, 'Peninsula').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Details of Peninsula' }).waitFor()
    await finish(visit)
  })

  it('are dragged to another branch and to the top', async () => {
    const { ann, europe, nordics, asia } = await world()
    const visit = await visitAs(ann)
    const { page } = visit
    await item(page, 'Asia').dragTo(item(page, 'Nordics'))
    await page.getByText('Asia is now below Nordics').waitFor()
    assert.equal((await read(ann, asia)).parentId, nordics.id)

    // Not into what is below itself.
    await item(page, 'Europe').dragTo(item(page, 'Asia'))
    assert.equal((await read(ann, europe)).parentId, null)

    await item(page, 'Asia').hover()
    await page.mouse.down()
    await item(page, 'Lisbon').hover()
    const zone = page.getByText('Drop here to move it to the top level')
    await zone.hover({ force: true })
    await zone.hover({ force: true })
    await page.mouse.up()
    await page.getByText('Asia is now at the top level').waitFor()
    assert.equal((await read(ann, asia)).parentId, null)
    await finish(visit)
  })

  for (const [name, viewport] of Object.entries({ PHONE, DESKTOP }))
    it(`lead from an empty one to its first members: ${name}`, async () => {
      const { ann, asia } = await world()
      const bob = await join(ann, await signUp(client, { name: 'Bob Boole' }))
      const visit = await visitAs(ann, viewport)
      const { page } = visit
      await item(page, 'Asia').click()
      const panel = panelOf(page, viewport, 'Asia')
      await panel.getByText('No members').waitFor()
      await panel.getByRole('button', { name: 'Choose member' }).click()
      const dialog = page.getByRole('dialog', { name: 'Choose a member for Asia' })
      await dialog.getByLabel('Bob Boole').check()
      await visit.assertAccessible()
      await dialog.getByRole('button', { name: 'Choose member' }).click()
      await panel.getByText('1 member').waitFor()
      assert.deepEqual((await ann.api.get(`/companies/users/${bob.id}`)).body.data.branchIds, [asia.id])

      await panel.getByRole('link', { name: 'Add new member' }).click()
      await page.getByRole('dialog').getByLabel('Asia').waitFor()
      assert.ok(await page.getByRole('dialog').getByLabel('Asia').isChecked())
      await finish(visit)
    })

  it('are found with the branches above them', async () => {
    const { ann } = await world()
    const visit = await visitAs(ann)
    const { page } = visit
    await page.getByRole('searchbox', { name: 'Search by name or code' }).fill('lx-')
    await item(page, 'Asia').waitFor({ state: 'detached' })
    assert.deepEqual(await page.getByRole('treeitem').allTextContents(), ['Europe', 'Iberia', 'LisbonLX-9'])
    assert.equal(await page.locator('mark').textContent(), 'LX-')
    await page.getByRole('searchbox').fill('nowhere')
    await page.getByText('No results').waitFor()
    await finish(visit)
  })

  it('say why they can’t be deleted', async () => {
    const { ann, lisbon, nordics } = await world()
    const visit = await visitAs(ann)
    const { page } = visit
    await item(page, 'Europe').click()
    const europe = panelOf(page, DESKTOP, 'Europe')
    await europe.getByText('move or delete the branches below first').waitFor()
    assert.equal(await europe.getByRole('button', { name: 'Delete' }).getAttribute('aria-disabled'), 'true')

    await ann.api.patch(`/companies/users/${ann.id}`, { branchIds: [lisbon.id] })
    await item(page, 'Lisbon').click()
    const panel = panelOf(page, DESKTOP, 'Lisbon')
    await panel.getByText('move its members to another branch first').waitFor()
    await visit.assertAccessible()
    await panel.getByRole('link', { name: '1 member' }).click()
    await page.waitForURL((url) => url.pathname.endsWith('/members') && url.searchParams.get('branchId') === lisbon.id)
    await page.goBack()

    // What the page did not know is said by the service.
    await item(page, 'Nordics').click()
    await panelOf(page, DESKTOP, 'Nordics').getByText('No members').waitFor()
    await ann.api.patch(`/companies/users/${ann.id}`, { branchIds: [nordics.id] })
    await panelOf(page, DESKTOP, 'Nordics').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete branch' }).click()
    await page.getByText('This branch has members. Move them to another branch first.').waitFor()
    await finish(visit)
  })

  it('show both versions when another person has saved one', async () => {
    const { ann, lisbon } = await world()
    const visit = await visitAs(ann)
    const { page } = visit
    await item(page, 'Lisbon').click()
    await panelOf(page, DESKTOP, 'Lisbon').getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Lisboa')
    await ann.api.patch(`/companies/branches/${lisbon.id}`, { name: 'Lissabon', phone: '+351 1' })
    await page.getByRole('button', { name: 'Save changes' }).click()
    const dialog = page.getByRole('dialog', { name: /Someone else changed this/ })
    assert.match(String(await dialog.textContent()), /Name\s*Lissabon\s*Lisboa/)
    await visit.assertAccessible()
    await dialog.getByRole('button', { name: 'Save my changes' }).click()
    await page.getByText('Lisboa saved').waitFor()
    const { name, phone } = await read(ann, lisbon)
    assert.deepEqual({ name, phone }, { name: 'Lisboa', phone: '+351 1' })
    await finish(visit)
  })

  it('say at the field that a name or code is taken', async () => {
    const { ann } = await world()
    const visit = await visitAs(ann)
    const { page } = visit
    await page.getByRole('button', { name: 'Add branch' }).click()
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Add branch' })
    await submit.click()
    await page.getByText('This can’t be empty.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('europe')
    await submit.click()
    await page.getByText('A branch with this name already exists.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Porto')
    await page.getByRole('textbox', { name: /^Code/ }).fill('lx-9')
    await submit.click()
    await page.getByText('A branch with this code already exists.').waitFor()
    assert.equal(await page.getByRole('textbox', { name: /^Code/ }).getAttribute('aria-invalid'), 'true')
    await finish(visit)
  })

  it('show no way to change them to those who only read, and no page to those who may not', async () => {
    const { ann } = await world()
    const bob = await join(ann, await signUp(client, { name: 'Bob Boole' }))
    const visit = await visitAs(bob)
    const { page } = visit
    await item(page, 'Lisbon').click()
    await panelOf(page, DESKTOP, 'Lisbon').getByText('LX-9').waitFor()
    assert.equal(await page.getByRole('button', { name: /Add|Edit|Move|Delete|ctivate/ }).count(), 0)
    await page.keyboard.press('Control+x')
    await page.keyboard.press('Delete')
    await page.keyboard.press('F2')
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.equal(await page.getByText('Moving').count(), 0)
    await finish(visit)

    await createRole(ann, 'Clerk', ['users:read'])
    const clerk = await visitAs(await join(ann, await signUp(client, { name: 'Cid' }), ['Clerk']))
    await clerk.page.getByText('the permission “View branches”').waitFor()
    assert.ok(!clerk.calls.some((call) => call.includes('/companies/branches')))
    await finish(clerk)
  })

  it('are read as they are opened where there are many', async () => {
    const ann = await signUp(client, { name: 'Ann Lovelace' })
    const tops = []
    for (let index = 100; index < 202; index++) tops.push(await createBranch(ann, { name: `Site ${index}` }))
    await createBranchChain(ann, 7, tops[0].id)
    const visit = await visitAs(ann)
    const { page } = visit
    await item(page, 'Site 100').waitFor()
    assert.equal(await item(page, 'Branch').count(), 0)
    await item(page, 'Site 100').focus()
    await page.keyboard.press('End')
    assert.equal(await focused(page), 'Show 2 more')
    await page.keyboard.press('Enter')
    await item(page, 'Site 201').waitFor()
    await page.getByRole('button', { name: 'Expand all' }).click()
    assert.equal(await item(page, 'Branch').count(), 7)
    assert.equal(await item(page, 'Branch').last().getAttribute('aria-level'), '8')
    assert.deepEqual(
      visit.calls.filter((call) => call.includes('/branches')),
      ['GET /api/companies/branches', 'GET /api/companies/branches'],
    )
    await finish(visit)
  })

  it('are read level by level where one answer does not hold them', async () => {
    const ann = await signUp(client, { name: 'Ann Lovelace' })
    const { id } = await createBranch(ann, { name: 'Europe' })
    await site.service.db.query(
      `insert into branches (company_id, id, parent_id, name, name_folded, name_key)
       select $1, gen_random_uuid(), $2, 'Site ' || n, 'site ' || n, 'site ' || n from generate_series(1001, 2001) n`,
      [ann.company.id, id],
    )
    const visit = await visitAs(ann)
    const { page } = visit
    await item(page, 'Europe').getByText('1,001 branches below').waitFor()
    await item(page, 'Europe').focus()
    await page.keyboard.press('ArrowRight')
    await item(page, 'Site 1001').waitFor()
    await page.getByRole('treeitem', { name: 'Show 901 more' }).click()
    await item(page, 'Site 1200').waitFor()
    await page.getByRole('treeitem', { name: 'Show 801 more' }).waitFor()
    assert.equal(visit.calls.filter((call) => call.includes('/branches')).length, 3)

    // Those that are not in the tree yet are found by the dialog, too.
    await item(page, 'Site 1001').click()
    await panelOf(page, DESKTOP, 'Site 1001').getByRole('button', { name: 'Move to…' }).click()
    await page.getByRole('searchbox', { name: 'Search for the branch above' }).fill('2000')
    await page.getByRole('radio', { name: 'Site 2000' }).check()
    await page.getByRole('button', { name: 'Move branch' }).click()
    await page.getByText('Site 1001 is now below Site 2000').waitFor()
    await finish(visit)
  })
})
