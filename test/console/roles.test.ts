import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { invite } from '../support/invitations.ts'
import { createRole, join, rolesOf } from '../support/members.ts'
import { type Person, signUp } from '../support/people.ts'
import { DESKTOP, PHONE, TABLET, useConsole, type Visit } from './support/console.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole()
const { client } = site.service

/** An owner, and whom the company has besides. */
const company = () => signUp(client, { name: 'Ann Lovelace' })
const colleague = async (owner: Person, name: string, roles: string[]) =>
  join(owner, await signUp(client, { name }), roles)

const visitAs = (person: Person, page: string, viewport = DESKTOP) =>
  openAs(site, person, { to: `/c/${person.company.id}/${page}`, viewport })

async function finish(visit: Visit): Promise<void> {
  await visit.assertAccessible()
  visit.assertClean()
  await visit.close()
}

describe('the roles of a company', () => {
  for (const [name, viewport] of Object.entries({ PHONE, DESKTOP })) {
    it(`are created, changed after a look at who gains and loses what, and deleted with a replacement: ${name}`, async () => {
      const ann = await company()
      const bob = await colleague(ann, 'Bob Boole', ['Member'])
      const visit = await visitAs(ann, 'roles', viewport)
      const { page } = visit
      await page.getByRole('link', { name: 'Owner' }).waitFor()
      await visit.assertAccessible()

      await page.getByRole('link', { name: 'Create role' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Auditor')
      await page.getByLabel('Description').fill('Reads the log')
      await page.getByLabel('View the audit log').check()
      await page.getByRole('button', { name: 'Select all: Members' }).click()
      await visit.assertAccessible()
      await page.getByRole('button', { name: 'Create role' }).click()
      await page.getByRole('heading', { name: 'Auditor', level: 1 }).waitFor()
      await page.getByText('No member has this role.').waitFor()
      const { Auditor } = await rolesOf(ann)
      const created = (await ann.api.get(`/companies/roles/${Auditor}`)).body.data
      assert.deepEqual(created.permissions, [
        'users:read',
        'users:create',
        'users:update',
        'users:delete',
        'audit:read',
      ])
      assert.equal(created.description, 'Reads the log')

      const { Member } = await rolesOf(ann)
      await ann.api.patch(`/companies/users/${bob.id}`, { roleIds: [Member, Auditor] })
      await page.reload()
      await page.getByText('1 member has this role.').waitFor()
      await page.getByLabel('Remove members').uncheck()
      await page.getByLabel('Edit roles').check()
      await page.getByLabel('View members').uncheck()
      await page.getByRole('button', { name: 'Review changes' }).click()
      const dialog = page.getByRole('dialog', { name: 'Save these changes?' })
      const shown = String(await dialog.textContent())
      assert.match(shown, /Members who lose\s*Remove members\s*1 member\s*Bob Boole/)
      assert.match(shown, /Members who gain\s*Edit roles\s*1 member\s*Bob Boole/)
      // Their other role still gives it.
      assert.doesNotMatch(shown, /View members/)
      await visit.assertAccessible()
      assert.deepEqual((await ann.api.get(`/companies/roles/${Auditor}`)).body.data.permissions, created.permissions)
      await dialog.getByRole('button', { name: 'Save changes' }).click()
      await page.getByText('Role saved').waitFor()
      assert.deepEqual((await ann.api.get(`/companies/roles/${Auditor}`)).body.data.permissions, [
        'users:create',
        'users:update',
        'roles:update',
        'audit:read',
      ])

      await page.getByRole('button', { name: 'Delete role' }).click()
      const remove = page.getByRole('dialog', { name: 'Delete “Auditor”?' })
      await remove.getByLabel('Role to give instead').selectOption('Manager')
      await remove.getByText('Members who gain').waitFor()
      await visit.assertAccessible()
      await remove.getByRole('button', { name: 'Delete role' }).click()
      await page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor()
      await page.getByText('Role deleted').waitFor()
      await page.getByRole('link', { name: 'Auditor' }).waitFor({ state: 'detached' })
      assert.deepEqual((await ann.api.get(`/companies/users/${bob.id}`)).body.data.roles.sort(), ['Manager', 'Member'])
      await finish(visit)
    })
  }

  it('are deleted with a replacement also where only invitations give them', async () => {
    const ann = await company()
    await createRole(ann, 'Seller', ['users:read'])
    const { path } = await invite(ann, { roles: ['Seller'] })
    const visit = await visitAs(ann, 'roles')
    const { page } = visit
    await page.getByRole('link', { name: 'Seller' }).click()
    await page.getByRole('button', { name: 'Delete role' }).click()
    const remove = page.getByRole('dialog', { name: 'Delete “Seller”?' })
    await remove.getByText('pending invitations, links or domains give it').waitFor()
    assert.equal(await remove.getByRole('button', { name: 'Delete role' }).isDisabled(), true)
    await remove.getByLabel('Role to give instead').selectOption('Manager')
    await remove.getByText('1 pending invitation, link or domain gives this role, too.').waitFor()
    await visit.assertAccessible()
    await remove.getByRole('button', { name: 'Delete role' }).click()
    await page.getByText('Role deleted').waitFor()
    assert.deepEqual(
      (await ann.api.get(path)).body.data.roles.map(({ name }: { name: string }) => name),
      ['Manager'],
    )
    await finish(visit)
  })

  it('are copied by the keyboard alone', async () => {
    const ann = await company()
    const visit = await visitAs(ann, 'roles')
    const { page } = visit
    await page.getByRole('button', { name: 'Actions for Manager' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'View role' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByLabel('Name', { exact: true }).focus()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Copy of Manager')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Branch manager')
    await page.getByLabel('Add members').focus()
    await page.keyboard.press('Space')
    await page.getByLabel('Name', { exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Branch manager', level: 1 }).waitFor()
    const id = (await rolesOf(ann))['Branch manager']
    const { permissions } = (await ann.api.get(`/companies/roles/${id}`)).body.data
    assert.ok(permissions.includes('users:update'))
    assert.ok(!permissions.includes('users:create'))
    await finish(visit)
  })

  it('say at the field that a name is taken', async () => {
    const visit = await visitAs(await company(), 'roles/new')
    const { page } = visit
    await page.getByRole('button', { name: 'Create role' }).click()
    await page.getByText('This can’t be empty.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Manager')
    await page.getByRole('button', { name: 'Create role' }).click()
    await page.getByText('A role with this name, or one that looks the same, already exists.').waitFor()
    assert.equal(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid'), 'true')
    await finish(visit)
  })

  it('can’t be changed when they are built in, and say so', async () => {
    const ann = await company()
    const { Admin } = await rolesOf(ann)
    const visit = await visitAs(ann, `roles/${Admin}`)
    const { page } = visit
    await page.getByText('can’t be changed or deleted').waitFor()
    assert.equal(await page.getByRole('checkbox').count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Delete role' }).count(), 0)
    await page.getByRole('listitem').filter({ hasText: 'Delete the company(Not included)' }).waitFor()
    await finish(visit)
  })

  it('give nothing that the person does not have', async () => {
    const ann = await company()
    await createRole(ann, 'Role editor', [
      'roles:read',
      'roles:create',
      'roles:update',
      'roles:delete',
      'permissions:read',
    ])
    const own = await createRole(ann, 'Reader', ['roles:read'])
    const above = await createRole(ann, 'Lister', ['users:read'])
    const eve = await colleague(ann, 'Eve Euler', ['Role editor'])
    const visit = await visitAs(eve, `roles/${own.id}`, TABLET)
    const { page } = visit
    const foreign = page.getByLabel('View members')
    await foreign.waitFor()
    assert.ok(await foreign.isDisabled())
    const group = page.getByRole('group', { name: 'Members' })
    assert.match(String(await group.textContent()), /You can’t give this: you don’t have it yourself\./)
    assert.ok(await page.getByLabel('Create roles').isEnabled())
    await visit.assertAccessible()

    await visit.goto(`/c/${ann.company.id}/roles/${above.id}`)
    await page.getByText('permissions that you don’t have').waitFor()
    assert.equal(await page.getByRole('checkbox').count(), 0)
    await finish(visit)
  })

  it('show no way to change them to those who only read, and no page to those who may not', async () => {
    const ann = await company()
    const own = await createRole(ann, 'Reader', ['users:read', 'branches:read', 'roles:read', 'permissions:read'])
    await createRole(ann, 'Clerk', ['users:read'])
    const bob = await colleague(ann, 'Bob Boole', ['Member'])
    const visit = await visitAs(bob, 'roles')
    const { page } = visit
    await page.getByRole('link', { name: 'Reader' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Create role' }).count(), 0)
    await visit.goto(`/c/${ann.company.id}/roles/${own.id}`)
    await page.getByText('Changing it needs').waitFor()
    assert.equal(await page.getByRole('button', { name: /Delete|Save|Duplicate/ }).count(), 0)
    await finish(visit)

    const clerk = await visitAs(await colleague(ann, 'Cid Cantor', ['Clerk']), 'roles')
    await clerk.page.getByText('the permission “View roles”').waitFor()
    assert.ok(!clerk.calls.some((call) => call.includes('/companies/roles')))
    await finish(clerk)
  })

  it('show both versions when another person has saved one, and keep what one chooses', async () => {
    const ann = await company()
    const role = await createRole(ann, 'Auditor', ['users:read'])
    const visit = await visitAs(ann, `roles/${role.id}`)
    const { page } = visit
    await page.getByLabel('View the audit log').check()
    await page.getByLabel('Name', { exact: true }).fill('Inspector')
    assert.equal(
      (await ann.api.patch(role.path, { description: 'Theirs', permissions: ['branches:read'] })).status,
      200,
    )
    await page.getByRole('button', { name: 'Save changes' }).click()
    const dialog = page.getByRole('dialog', { name: /Someone else changed this/ })
    assert.match(String(await dialog.textContent()), /Auditor\s*Inspector[\s\S]*View branches\s*View members/)
    await visit.assertAccessible()
    await dialog.getByRole('button', { name: 'Save my changes' }).click()
    await page.getByRole('heading', { name: 'Inspector', level: 1 }).waitFor()
    const saved = (await ann.api.get(role.path)).body.data
    assert.deepEqual([saved.name, saved.description], ['Inspector', 'Theirs'])
    assert.deepEqual(saved.permissions, ['users:read', 'audit:read'])
    await finish(visit)
  })

  for (const [name, viewport] of Object.entries({ PHONE, DESKTOP }))
    it(`lead from a new one to its first members: ${name}`, async () => {
      const ann = await company()
      const bob = await colleague(ann, 'Bob Boole', ['Member'])
      const role = await createRole(ann, 'Auditor', ['users:read'])
      const visit = await visitAs(ann, `roles/${role.id}`, viewport)
      const { page } = visit
      const dialog = page.getByRole('dialog')
      await page.getByRole('button', { name: 'Give role' }).click()
      await dialog.getByRole('button', { name: 'Give role' }).click()
      await dialog.getByText('Choose a member.').waitFor()
      await dialog.getByLabel('Bob Boole').check()
      await visit.assertAccessible()
      await dialog.getByRole('button', { name: 'Give role' }).click()
      await page.getByText('1 member has this role.').waitFor()
      await page.getByText('Bob Boole now has the role Auditor').waitFor()
      const given = await ann.api.get(`/companies/users/${bob.id}`)
      assert.deepEqual(given.body.data.roles, ['Auditor', 'Member'])
      await page.getByRole('button', { name: 'Give role' }).click()
      await dialog.getByText('has this role').waitFor()
      assert.ok(await dialog.getByLabel('Bob Boole').isDisabled())
      await dialog.getByRole('button', { name: 'Cancel' }).click()

      await page.getByRole('link', { name: 'Add new member' }).click()
      await dialog.getByLabel('Auditor').waitFor()
      assert.ok(await dialog.getByLabel('Auditor').isChecked())
      assert.ok(!(await dialog.getByLabel('Member', { exact: true }).isChecked()))
      assert.equal(new URL(page.url()).search, `?roleId=${role.id}`)
      await finish(visit)
    })

  it('ask before what was changed in one is left', async () => {
    const ann = await company()
    const role = await createRole(ann, 'Auditor', ['users:read'])
    const visit = await visitAs(ann, `roles/${role.id}`)
    const { page } = visit
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 })
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await heading('Members').waitFor()
    await page.goBack()
    await page.getByLabel('View the audit log').check()
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await visit.assertAccessible()
    await page.keyboard.press('Escape')
    assert.ok(await page.getByLabel('View the audit log').isChecked())
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await page.getByRole('button', { name: 'Leave page' }).click()
    await heading('Members').waitFor()

    await visit.goto(`/c/${ann.company.id}/roles/new`)
    await page.getByLabel('Name', { exact: true }).fill('Clerk')
    await page.getByRole('button', { name: 'Create role' }).click()
    await heading('Clerk').waitFor()
    await finish(visit)
  })

  it('take at most two calls of their own a page', async () => {
    const ann = await company()
    const role = await createRole(ann, 'Auditor', ['users:read'])
    const visit = await visitAs(ann, `roles/${role.id}`)
    await visit.page.getByLabel('View members').waitFor()
    const own = visit.calls.filter((call) => /companies\/(roles|permissions)/.test(call))
    assert.deepEqual(own.sort(), [`GET /api/companies/permissions`, `GET /api/companies/roles/${role.id}`])
    await finish(visit)
  })
})

it('calls built-in roles in the language of the reader, and those of the company as it does', async () => {
  const ann = await signUp(client, { name: 'Ann Lovelace', locale: 'pt' })
  await createRole(ann, 'Administrator', ['users:read'])
  await join(ann, await signUp(client, { name: 'Bob Byron' }), ['Manager', 'Administrator'])
  const visit = await openAs(site, ann, { to: `/c/${ann.company.id}/roles` })
  const { page } = visit
  for (const name of ['Proprietário', 'Administrador', 'Gerente', 'Membro', 'Administrator'])
    await page.getByRole('link', { name, exact: true }).waitFor()
  await page.getByRole('link', { name: 'Gerente', exact: true }).click()
  await page.getByRole('heading', { name: 'Gerente', level: 1 }).waitFor()
  await visit.goto(`/c/${ann.company.id}/members`)
  const rolesOf = (name: string) => page.getByRole('row', { name })
  await rolesOf('Bob Byron').getByText('Gerente', { exact: true }).waitFor()
  await rolesOf('Bob Byron').getByText('Administrator', { exact: true }).waitFor()
  await rolesOf('Ann Lovelace').getByText('Proprietário', { exact: true }).waitFor()
  assert.equal(await page.getByText('Manager').count(), 0)
  visit.assertClean()
  await visit.close()
})
