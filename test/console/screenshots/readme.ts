import assert from 'node:assert/strict'
import { mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import { rolesOf } from '../../support/members.ts'
import { useConsole } from '../support/console.ts'
import { openAs } from '../support/sign-in.ts'
import { createNorthwind } from './northwind.ts'

// Takes the two pictures of the README: npm run screenshots:readme.

const FOLDER = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'images')
const BYTES_MAX = 150_000
const WINDOW = { width: 1200, height: 750 }
const site = await useConsole()

it('takes the pictures of the README', async () => {
  const ann = await createNorthwind(site)
  const roles = await rolesOf(ann)

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
