import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addApp, ageProofs } from '../support/factors.ts'
import { PASSWORD, type Person, signUp } from '../support/people.ts'
import { DESKTOP, PHONE, useConsole } from './support/console.ts'
import { signIn } from './support/people.ts'

const site = await useConsole()
const { client, db } = site.service

/** Signed in by a code some time ago, in a browser. */
async function cameEarlier(ann: Person, app: Awaited<ReturnType<typeof addApp>>, to: string, viewport = DESKTOP) {
  const visit = await site.open({ viewport })
  await visit.goto(`/sign-in?to=${encodeURIComponent(to)}`)
  await signIn(visit, ann.email)
  await visit.page.getByLabel('Code', { exact: true }).fill(await app.unusedCode())
  await visit.page.keyboard.press('Enter')
  await visit.page.waitForURL((url) => url.pathname === to)
  for (const { id } of await db.query<{ id: string }>('select id from sessions where account_id = $1', [ann.id]))
    await ageProofs({ db }, { sessionId: id }, 11)
  return visit
}

it('asks for a code before a password is changed, and then changes it', async () => {
  const ann = await signUp(client)
  const app = await addApp(site.service, ann)
  const visit = await cameEarlier(ann, app, '/account/security', PHONE)
  const { page } = visit
  const dialog = page.getByRole('dialog', { name: 'Confirm that it’s you' })
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByLabel('New password', { exact: true }).fill('Another-horse-8')
  await page.getByRole('button', { name: 'Change password' }).click()
  await dialog.waitFor()
  await visit.assertAccessible()
  await page.keyboard.press('Escape')
  await page.getByText('Confirm that it’s you first.').waitFor()

  await page.getByRole('button', { name: 'Change password' }).click()
  await dialog.getByLabel('Code', { exact: true }).fill('000000')
  await page.keyboard.press('Enter')
  await dialog.getByText('This code isn’t right').waitFor()
  await dialog.getByRole('button', { name: 'Use a recovery code' }).click()
  await dialog.getByLabel('Recovery code').fill(app.recoveryCodes[0] ?? '')
  await page.keyboard.press('Enter')
  await page.getByText('All other devices have been signed out.').waitFor()
  visit.assertClean()
  await visit.close()
})

it('opens above the dialog of what was refused, and gives the focus back', async () => {
  const ann = await signUp(client, { companyName: 'Acme Mill' })
  const app = await addApp(site.service, ann)
  const visit = await cameEarlier(ann, app, `/c/${ann.company.id}/settings`)
  const { page } = visit
  await page.getByRole('button', { name: 'Delete company' }).click()
  await page.getByLabel('Type Acme Mill to confirm').fill('Acme Mill')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete company' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm that it’s you' })
  await dialog.getByLabel('Code', { exact: true }).fill(await app.unusedCode())
  await visit.assertAccessible()
  await page.keyboard.press('Enter')
  await page.getByText('Acme Mill was deleted').waitFor()
  assert.equal((await ann.api.get(`/companies/${ann.company.id}`)).status, 404)
  visit.assertClean()
  await visit.close()
})
