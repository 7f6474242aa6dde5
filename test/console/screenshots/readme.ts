import assert from 'node:assert/strict'
import { mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import { createBranch } from '../../support/branches.ts'
import { rolesOf } from '../../support/members.ts'
import { signUp } from '../../support/people.ts'
import { useConsole } from '../support/console.ts'
import { openAs } from '../support/sign-in.ts'

// Takes the two pictures of the README: npm run screenshots:readme.

const FOLDER = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'images')
const BYTES_MAX = 150_000
const WINDOW = { width: 1200, height: 750 }
const site = await useConsole()
const people = [
  ['Bruno Almeida', 'Admin', 'Head of operations'],
  ['Carla Núñez', 'Manager', 'Store manager'],
  ['Daniel Okafor', 'Manager', 'Store manager'],
  ['Elif Demir', 'Member', 'Barista'],
  ['Freya Lindqvist', 'Member', 'Barista'],
  ['Gustavo Prieto', 'Member', 'Roaster'],
  ['Hana Sato', 'Member', 'Accountant'],
] as const

it('takes the pictures of the README', async () => {
  const email = 'ann@northwind.example'
  const ann = await signUp(site.service.client, { name: 'Ann Lovelace', email, companyName: 'Northwind Coffee' })
  const iberia = await createBranch(ann, { name: 'Iberia' })
  const branches = [
    await createBranch(ann, { name: 'Lisbon', parentId: iberia.id }),
    await createBranch(ann, { name: 'Porto', parentId: iberia.id }),
  ]
  const roles = await rolesOf(ann)
  for (const [index, [name, role, position]] of people.entries()) {
    const email = `${name.split(' ')[0]?.toLowerCase()}@northwind.example`
    const places = { roleIds: [roles[role]], branchIds: [branches[index % 2]?.id] }
    const added = await ann.api.post('/companies/users', { name, email, position, ...places })
    assert.equal(added.status, 201, JSON.stringify(added.body))
  }

  mkdirSync(FOLDER, { recursive: true })
  for (const [file, page, title, colorScheme] of [
    ['members.png', 'members', 'Members', 'light'],
    ['role.png', `roles/${roles.Manager}`, 'Manager', 'dark'],
  ] as const) {
    const visit = await openAs(site, ann, { to: `/c/${ann.company.id}/${page}`, viewport: WINDOW, colorScheme })
    await visit.page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await visit.page.waitForLoadState('networkidle')
    await visit.page.mouse.move(0, 0)
    await visit.page.screenshot({ path: path.join(FOLDER, file) })
    assert.ok(statSync(path.join(FOLDER, file)).size < BYTES_MAX, file)
    await visit.close()
  }
})
