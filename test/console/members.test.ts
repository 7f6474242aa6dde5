import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { newId } from '../../src/lib/ids.ts'
import { createBranch } from '../support/branches.ts'
import { addApp } from '../support/factors.ts'
import { addMember, createRole, join } from '../support/members.ts'
import { anyEmail, PASSWORD, type Person, signIn, signUp } from '../support/people.ts'
import { until } from '../support/until.ts'
import { DESKTOP, PHONE, TABLET, useConsole, type Visit } from './support/console.ts'
import { passwordTo } from './support/emails.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole()
const { client } = site.service

const membersOf = ({ company }: Person) => `/c/${company.id}/members`
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const dialog = (page: Page) => page.getByRole('dialog')
const inDialog = (page: Page, name: string | RegExp) => dialog(page).getByRole('button', { name, exact: true })

async function done(visit: Visit): Promise<void> {
  await visit.assertAccessible()
  visit.assertClean()
  await visit.close()
}

describe('an owner', () => {
  for (const [size, viewport] of Object.entries({ PHONE, DESKTOP })) {
    it(`adds a member and sees what happens next: ${size}`, async () => {
      const ann = await signUp(client)
      const branch = await createBranch(ann, { name: 'Lisbon' })
      const visit = await openAs(site, ann, { viewport, to: membersOf(ann) })
      const { page } = visit
      await button(page, 'Add member').click()
      await dialog(page).getByLabel('Email address').fill('bob')
      await inDialog(page, 'Add member').click()
      await page.getByText('Enter an email address like').waitFor()
      await page.getByText('Enter the name of the new member.').waitFor()
      await visit.assertAccessible()

      const email = anyEmail()
      await dialog(page).getByLabel('Email address').fill(email)
      await page.getByLabel('Name', { exact: true }).fill('Bob Byron')
      await page.getByLabel('Manager').check()
      await page.getByLabel('Lisbon').check()
      await page.getByLabel(/^Position/).fill('Barista')
      await inDialog(page, 'Add member').click()
      await page.getByRole('heading', { name: 'Bob Byron is now a member' }).waitFor()
      await page.getByText(`We emailed a temporary password to ${email}.`).waitFor()
      await visit.assertAccessible()

      await page.getByRole('link', { name: 'View member' }).click()
      await heading(page, 'Bob Byron').waitFor()
      await page.getByText('Your company manages this account').waitFor()
      await page.getByText('Temporary password not replaced yet').waitFor()
      const added = await ann.api.get(`/companies/users?search=${email}`)
      const [{ roles, branchIds, position }] = added.body.data
      assert.deepEqual([roles.sort(), branchIds, position], [['Manager', 'Member'], [branch.id], 'Barista'])
      await done(visit)
    })

    it(`changes a member, takes the access and gives it back, and removes the member: ${size}`, async () => {
      const ann = await signUp(client)
      const bob = await addMember(ann, { name: 'Bob Byron' })
      const visit = await openAs(site, ann, { viewport, to: `${membersOf(ann)}/${bob.id}` })
      const { page } = visit
      const read = async () => (await ann.api.get(`/companies/users/${bob.id}`)).body.data

      await button(page, 'Edit contact details').click()
      await page.getByLabel(/^Phone/).fill('+351 210 000 000')
      await inDialog(page, 'Save changes').click()
      await page.getByText('+351 210 000 000').waitFor()
      await button(page, 'Edit roles').click()
      await page.getByLabel('Manager').check()
      await page.getByLabel('Member', { exact: true }).uncheck()
      await visit.assertAccessible()
      await inDialog(page, 'Save changes').click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      const { phone, roles } = await read()
      assert.deepEqual([phone, roles], ['+351 210 000 000', ['Manager']])

      await button(page, 'Deactivate member').click()
      await inDialog(page, 'Deactivate member').click()
      await page.getByText('This member is inactive').waitFor()
      assert.equal((await read()).status, 'inactive')
      await button(page, 'Activate member').click()
      await button(page, 'Deactivate member').waitFor()
      assert.equal((await read()).status, 'active')

      await button(page, 'Remove member').click()
      await inDialog(page, 'Remove member').click()
      await heading(page, 'Members').waitFor()
      await page.getByText('Bob Byron was removed.').waitFor()
      await page.getByRole('link', { name: 'Bob Byron' }).waitFor({ state: 'detached' })
      assert.equal((await ann.api.get(`/companies/users/${bob.id}`)).status, 404)
      await done(visit)
    })

    it(`sees a temporary password once: ${size}`, async () => {
      const ann = await signUp(client)
      const bob = await addMember(ann, { name: 'Bob Byron' })
      const visit = await openAs(site, ann, { viewport, to: `${membersOf(ann)}/${bob.id}` })
      const { page } = visit
      await button(page, 'Reset password').click()
      await page.getByLabel('Show it to me once').check()
      await visit.assertAccessible()
      await inDialog(page, 'Reset password').click()
      const password = await page.getByRole('dialog').locator('code').textContent()
      const login = await client.post('/auth/login', { email: bob.email, password })
      assert.equal(login.status, 200)
      await visit.assertAccessible()
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await inDialog(page, 'Copy').click()
      await inDialog(page, 'Copied').waitFor()
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), password)

      await button(page, 'I’ve copied it').click()
      await page.getByText('Someone has seen a password of this account').waitFor()
      assert.ok(!(await page.content()).includes(password ?? ''))
      await button(page, 'Reset password').click()
      await page.getByLabel('Show it to me once').waitFor()
      assert.ok(!(await page.content()).includes(password ?? ''))
      await done(visit)
    })
  }

  it('finds members by words, status, role and branch, and the address says what is shown', async () => {
    const ann = await signUp(client, { name: 'Ann Lovelace' })
    const branch = await createBranch(ann, { name: 'Lisbon' })
    const [bob, eva] = [
      await addMember(ann, { name: 'Bob', roles: ['Manager'] }),
      await addMember(ann, { name: 'Eva' }),
    ]
    await ann.api.patch(`/companies/users/${bob.id}`, { branchIds: [branch.id] })
    await ann.api.patch(`/companies/users/${eva.id}`, { status: 'inactive' })
    const visit = await openAs(site, ann, { to: membersOf(ann) })
    const { page } = visit
    const shown = async (...names: string[]) => {
      const links = page.getByRole('cell').getByRole('link')
      await until(async () => (await links.allTextContents()).join() === names.join())
    }
    const choose = async (filter: string, choice: string) => {
      await button(page, new RegExp(`^${filter} \\S`)).click()
      await page.getByRole('menuitemcheckbox', { name: choice }).click()
    }
    await shown('Ann Lovelace', 'Bob', 'Eva')
    await choose('Status', 'Inactive')
    await shown('Eva')
    await choose('Status', 'All')
    await choose('Role', 'Manager')
    await shown('Bob')
    await page.goBack()
    await shown('Ann Lovelace', 'Bob', 'Eva')
    await choose('Branch', 'Lisbon')
    await shown('Bob')
    await page.reload()
    await button(page, 'Branch Lisbon').waitFor()
    await shown('Bob')
    await button(page, 'Clear filters').click()
    await choose('Sort', 'Name, Z to A')
    await shown('Eva', 'Bob', 'Ann Lovelace')
    await page.getByLabel('Search by name or email address').fill('lovelace')
    await shown('Ann Lovelace')
    assert.match(page.url(), /search=lovelace/)
    await page.getByLabel('Search by name or email address').fill('no such person')
    await page.getByText('No results').waitFor()
    await done(visit)
  })

  it('goes through the pages, and each costs one call', async () => {
    const ann = await signUp(client, { name: 'Ann Lovelace' })
    for (let i = 1; i <= 20; i++) await addMember(ann, { name: `Member ${String(i).padStart(2, '0')}` })
    const visit = await openAs(site, ann, { viewport: TABLET, to: membersOf(ann) })
    const { page, calls } = visit
    await page.getByText('1–20 of 21').waitFor()
    const before = calls.length
    await button(page, 'Next').click()
    await page.getByText('21–21 of 21').waitFor()
    await page.getByRole('link', { name: 'Member 20' }).waitFor()
    assert.deepEqual(calls.slice(before), ['GET /api/companies/users'])
    await page.getByRole('link', { name: 'Member 20' }).click()
    await heading(page, 'Member 20').waitFor()
    assert.ok(calls.length - before <= 3, calls.slice(before).join(', '))
    await page.goBack()
    await page.getByText('21–21 of 21').waitFor()
    await done(visit)
  })

  it('adds a member with the keyboard alone', async () => {
    const ann = await signUp(client)
    const visit = await openAs(site, ann, { to: membersOf(ann) })
    const { page } = visit
    await button(page, 'Add member').focus()
    await page.keyboard.press('Enter')
    await dialog(page).getByLabel('Email address').waitFor()
    await dialog(page).getByLabel('Email address').and(page.locator(':focus')).waitFor()
    await page.keyboard.type(anyEmail())
    await page.keyboard.press('Tab')
    await page.keyboard.type('Eva Key')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    assert.ok(await page.getByLabel('Manager').isChecked())
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Eva Key is now a member' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Eva Key' }).waitFor()
    await button(page, 'Add member').and(page.locator(':focus')).waitFor()
    await done(visit)
  })

  it('chooses between both versions when someone else was faster', async () => {
    const ann = await signUp(client)
    const bob = await addMember(ann, { name: 'Bob Byron' })
    const visit = await openAs(site, ann, { to: `${membersOf(ann)}/${bob.id}` })
    const { page } = visit
    await button(page, 'Edit contact details').click()
    await page.getByLabel(/^Position/).fill('Barista')
    await ann.api.patch(`/companies/users/${bob.id}`, { position: 'Roaster', phone: '123' })
    await inDialog(page, 'Save changes').click()
    await page.getByText('Someone else changed this in the meantime').waitFor()
    await page.getByRole('cell', { name: 'Roaster' }).waitFor()
    await visit.assertAccessible()
    await inDialog(page, 'Save my changes').click()
    await page.getByText('Changes saved').waitFor()
    const { position, phone } = (await ann.api.get(`/companies/users/${bob.id}`)).body.data
    assert.deepEqual([position, phone], ['Barista', '123'])
    await done(visit)
  })

  it('removes the second factors of a managed account that has lost them, and of no other', async () => {
    const ann = await signUp(client)
    const own = await join(ann, await signUp(client))
    await addApp(site.service, own)
    const { email } = await addMember(ann, { name: 'Bob Byron' })
    const currentPassword = await passwordTo(site, email, 'temporary_password')
    const limited = await signIn(client, email, currentPassword)
    await limited.api.post('/auth/change-temporary-password', { currentPassword, newPassword: PASSWORD })
    const bob = await signIn(client, email)
    await addApp(site.service, bob)
    const visit = await openAs(site, ann, { to: `${membersOf(ann)}/${own.id}`, viewport: PHONE })
    const { page } = visit
    await page.getByText('Second factor is on').waitFor()
    assert.equal(await button(page, 'Remove second factors').count(), 0)
    await visit.goto(`${membersOf(ann)}/${bob.id}`)
    await button(page, 'Remove second factors').click()
    await page.getByText('From then on the password alone signs in').waitFor()
    await visit.assertAccessible()
    await inDialog(page, 'Remove second factors').click()
    await page.getByText('Second factor is off').waitFor()
    await button(page, 'Remove second factors').waitFor({ state: 'detached' })
    assert.equal((await ann.api.get(`/companies/users/${bob.id}`)).body.data.second_factor, false)
    assert.equal((await ann.api.get(`/companies/users/${own.id}`)).body.data.second_factor, true)
    await done(visit)
  })

  it('adds people of another company, and a member to another company', async () => {
    const ann = await signUp(client)
    const bob = await addMember(ann, { name: 'Bob Byron' })
    await ann.api.post('/companies', { name: 'Second Roastery', taxId: 'T-2' })
    const visit = await openAs(site, ann, { to: `${membersOf(ann)}/${bob.id}` })
    const { page } = visit
    await button(page, 'Add to another company').click()
    await page.getByLabel('Company', { exact: true }).selectOption({ label: 'Second Roastery' })
    await page.getByLabel('Role', { exact: true }).selectOption({ label: 'Manager' })
    await visit.assertAccessible()
    await inDialog(page, 'Add to another company').click()
    await page.getByText('Bob Byron was added to Second Roastery.').waitFor()
    const { data } = (await ann.api.get(`/companies/users/${bob.id}/companies`)).body
    const second = data.find(({ name }: { name: string }) => name === 'Second Roastery')
    assert.deepEqual(second.roles, ['Manager'])

    await ann.api.delete(`/companies/users/${bob.id}`)
    await visit.goto(membersOf(ann))
    await button(page, 'Add member').click()
    await page.getByLabel('Someone you know from another company').check()
    await dialog(page).getByLabel('Name or email address').fill('byron')
    await page.getByLabel('Bob Byron').check()
    await visit.assertAccessible()
    await inDialog(page, 'Add member').click()
    await page.getByText(/Bob Byron already had an account/).waitFor()
    assert.equal((await ann.api.get(`/companies/users/${bob.id}`)).status, 200)
    await done(visit)
  })

  it('is told why a member may do something', async () => {
    const ann = await signUp(client)
    const bob = await addMember(ann, { name: 'Bob Byron', roles: ['Manager'] })
    const visit = await openAs(site, ann, { to: `${membersOf(ann)}/${bob.id}` })
    const { page } = visit
    await button(page, 'Check a permission').click()
    await page.getByLabel('Permission', { exact: true }).selectOption('users:update')
    await page.getByText('It comes from: Manager.').waitFor()
    await page.getByLabel('Permission', { exact: true }).selectOption('users:delete')
    await page.getByText('None of the roles of Bob Byron gives this permission.').waitFor()
    await done(visit)
  })

  it('can’t leave a company that would have no owner', async () => {
    const ann = await signUp(client)
    const visit = await openAs(site, ann, { to: `${membersOf(ann)}/${ann.id}` })
    const { page } = visit
    await page.getByRole('link', { name: 'Open your account' }).waitFor()
    for (const absent of ['Deactivate member', 'Remove member', 'Reset password', 'Email password'])
      assert.equal(await button(page, absent).count(), 0, absent)
    await button(page, 'Leave company').click()
    await inDialog(page, 'Leave company').click()
    await page.getByText('A company needs at least one active owner.').waitFor()
    await inDialog(page, 'Cancel').click()

    await button(page, 'Edit roles').click()
    await page.getByText('These are your own roles.').waitFor()
    await page.getByLabel('Owner', { exact: true }).uncheck()
    await inDialog(page, 'Save changes').click()
    await page.getByText('Choose at least one role.').waitFor()
    await page.getByLabel('Admin', { exact: true }).check()
    await inDialog(page, 'Save changes').click()
    await page.getByText('A company needs at least one active owner.').waitFor()
    await done(visit)
  })

  it('emails a temporary password to an account that belongs to its user', async () => {
    const ann = await signUp(client)
    const bob = await signUp(client, { name: 'Bob Byron' })
    await join(ann, bob)
    const visit = await openAs(site, ann, { to: `${membersOf(ann)}/${bob.id}` })
    const { page } = visit
    await page.getByText('This account belongs to its user').waitFor()
    await button(page, 'Email password').click()
    await page.getByText('Otherwise the current password keeps working.').waitFor()
    await visit.assertAccessible()
    await inDialog(page, 'Email password').click()
    await page.getByText(`Temporary password sent to ${bob.email}. The current password keeps working.`).waitFor()
    await signIn(client, bob.email)
    await done(visit)
  })

  it('says that an emailed password has replaced the one of an account whose companies are all those of the sender', async () => {
    const ann = await signUp(client)
    const { email } = await addMember(ann, { name: 'Bob Byron' })
    const currentPassword = await passwordTo(site, email, 'temporary_password')
    const limited = await signIn(client, email, currentPassword)
    await limited.api.post('/auth/change-temporary-password', { currentPassword, newPassword: PASSWORD })
    const bob = await signIn(client, email)
    const second = (await ann.api.post('/companies', { name: 'Second', taxId: newId() })).body.data
    await join({ ...ann, company: second, api: ann.api.with({ company: second.id }) }, bob)
    const visit = await openAs(site, ann, { to: `${membersOf(ann)}/${bob.id}` })
    const { page } = visit
    await button(page, 'Email password').click()
    await inDialog(page, 'Email password').click()
    await page.getByText(`Temporary password sent to ${bob.email}. The one before no longer works.`).waitFor()
    assert.equal((await client.post('/auth/login', { email: bob.email, password: PASSWORD })).status, 401)
    await done(visit)
  })

  it('is refused a person who is a member already, at the field', async () => {
    const ann = await signUp(client)
    const bob = await addMember(ann)
    const visit = await openAs(site, ann, { to: membersOf(ann) })
    const { page } = visit
    await button(page, 'Add member').click()
    await dialog(page).getByLabel('Email address').fill(bob.email)
    await page.getByLabel('Name', { exact: true }).fill('Bob')
    await inDialog(page, 'Add member').click()
    await page.getByText('This person is already a member').waitFor()
    assert.equal(await dialog(page).getByLabel('Email address').getAttribute('aria-invalid'), 'true')
    await done(visit)
  })
})

describe('a company with more than a list holds', () => {
  it('filters by roles and branches that are searched for', async () => {
    const ann = await signUp(client, { name: 'Ann Lovelace' })
    const bob = await join(ann, await signUp(client, { name: 'Bob Byron' }))
    for (let number = 1; number <= 120; number++) await createRole(ann, `Crew ${String(number).padStart(3, '0')}`)
    const { body } = await ann.api.get('/companies/roles?search=Crew 117')
    const [crew] = body.data
    await ann.api.patch(`/companies/users/${bob.id}`, { roleIds: [crew.id] })
    const visit = await openAs(site, ann, { to: membersOf(ann), viewport: PHONE })
    const { page } = visit
    await page.getByRole('link', { name: 'Ann Lovelace' }).waitFor()
    await button(page, /^Role/).click()
    await page.getByRole('menuitem', { name: 'Search all…' }).click()
    await dialog(page).getByRole('searchbox').fill('crew 117')
    await dialog(page).getByLabel('Crew 117').waitFor()
    await visit.assertAccessible()
    await dialog(page).getByLabel('Crew 117').click()
    await page.getByRole('link', { name: 'Ann Lovelace' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Bob Byron' }).waitFor()
    await button(page, 'Role Crew 117').waitFor()

    await page.reload()
    await button(page, 'Role Crew 117').waitFor()
    await page.getByRole('link', { name: 'Bob Byron' }).waitFor()
    await done(visit)
  })
})

describe('someone with fewer permissions', () => {
  it('who may only look finds nothing to change', async () => {
    const ann = await signUp(client, { name: 'Ann Lovelace' })
    const bob = await join(ann, await signUp(client))
    const visit = await openAs(site, bob, { to: membersOf(ann) })
    const { page } = visit
    await page.getByRole('link', { name: 'Ann Lovelace' }).waitFor()
    assert.equal(await button(page, 'Add member').count(), 0)
    await page.getByRole('link', { name: 'Ann Lovelace' }).click()
    await heading(page, 'Ann Lovelace').waitFor()
    for (const absent of [/^Edit/, 'Deactivate member', 'Remove member', 'Reset password', 'Email password'])
      assert.equal(await button(page, absent).count(), 0, String(absent))
    await done(visit)
  })

  it('can’t give or change what exceeds them, and sees why', async () => {
    const ann = await signUp(client, { name: 'Ann Lovelace' })
    const bob = await join(ann, await signUp(client), ['Manager'])
    const eva = await addMember(ann, { name: 'Eva', roles: ['Admin'] })
    const visit = await openAs(site, bob, { to: membersOf(ann) })
    const { page } = visit
    await button(page, 'Add member').click()
    await page.getByLabel('Owner').waitFor()
    assert.ok(await page.getByLabel('Owner').isDisabled())
    assert.ok(await page.getByLabel('Admin').isDisabled())
    await page.getByText('Only an owner can make someone an owner.').waitFor()
    await page.getByText(/It includes permissions that you don’t have: .*Remove members/).waitFor()
    await visit.assertAccessible()

    await visit.goto(`${membersOf(ann)}/${eva.id}`)
    await page.getByText('Eva has permissions that you don’t have.').waitFor()
    assert.equal(await button(page, /^Edit/).count(), 0)
    await done(visit)
  })

  it('makes two calls for a page, and reads the names of branches when asked', async () => {
    const ann = await signUp(client)
    const branch = await createBranch(ann, { name: 'Lisbon' })
    const bob = await join(ann, await signUp(client), ['Admin'])
    const eva = await addMember(ann, { name: 'Eva', roles: ['Manager'] })
    await ann.api.patch(`/companies/users/${eva.id}`, { branchIds: [branch.id] })
    const visit = await openAs(site, bob, { to: `/c/${ann.company.id}` })
    const { page, calls } = visit
    await page.getByRole('heading', { level: 1 }).waitFor()
    await visit.goto(`${membersOf(ann)}/${eva.id}`)
    await button(page, 'Edit roles').waitFor()
    const own = calls.slice(calls.lastIndexOf('GET /api/auth/me') + 1)
    assert.deepEqual(own.sort(), ['GET /api/companies/roles', `GET /api/companies/users/${eva.id}`])
    await button(page, 'Show 1 branch').click()
    await page.getByText('Lisbon').waitFor()
    await done(visit)
  })

  it('leaves the company, and is back in the own one', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client, { name: 'Bob Byron' }))
    const visit = await openAs(site, bob, { to: `${membersOf(ann)}/${bob.id}` })
    const { page } = visit
    await button(page, 'Leave company').click()
    await inDialog(page, 'Leave company').click()
    await heading(page, 'Hello, Bob Byron').waitFor()
    assert.ok(!page.url().includes(ann.company.id))
    await page.getByText(`You’ve left ${ann.company.name}.`).waitFor()
    await done(visit)
  })

  it('sees at once that a permission was taken away', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client), ['Manager'])
    const visit = await openAs(site, bob, { to: membersOf(ann) })
    const { page } = visit
    await button(page, 'Add member').click()
    await dialog(page).getByRole('textbox', { name: 'Email address' }).fill(anyEmail())
    await dialog(page).getByLabel('Name', { exact: true }).fill('Eva')
    const { body } = await ann.api.get('/companies/roles?search=Member')
    const member = body.data.find(({ name }: { name: string }) => name === 'Member')
    assert.equal((await ann.api.patch(`/companies/users/${bob.id}`, { roleIds: [member.id] })).status, 200)
    await inDialog(page, 'Add member').click()
    await page.getByText('You don’t have the permission “Add members”.').waitFor()
    await inDialog(page, 'Cancel').click()
    await button(page, 'Add member').waitFor({ state: 'detached' })
    await done(visit)
  })

  it('who may not look at members learns which permission it takes', async () => {
    const ann = await signUp(client)
    const role = await ann.api.post('/companies/roles', { name: 'Auditor', permissions: ['audit:read'] })
    assert.equal(role.status, 201, JSON.stringify(role.body))
    const bob = await join(ann, await signUp(client), ['Auditor'])
    const visit = await openAs(site, bob, { to: membersOf(ann) })
    await visit.page.getByText('Ask an administrator of your company for the permission “View members”.').waitFor()
    await done(visit)
  })
})
