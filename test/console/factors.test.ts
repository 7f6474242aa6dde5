import assert from 'node:assert/strict'
import { it } from 'node:test'
import { totpCode, totpStepAt } from '../../src/lib/totp.ts'
import { signUp } from '../support/people.ts'
import { DESKTOP, PHONE, useConsole, type Visit } from './support/console.ts'
import { emailTo } from './support/emails.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole()

/** Where the keyboard goes on after a dialog: at what opened it, also when a field of the dialog had taken the focus. */
const assertFocused = ({ page }: Visit, name: string) =>
  page.locator(':focus').getByText(name, { exact: true }).waitFor()

for (const [name, viewport] of Object.entries({ PHONE, DESKTOP }))
  it(`adds an authenticator app, keeps its codes, and removes it: ${name}`, async () => {
    const ann = await signUp(site.service.client)
    const visit = await openAs(site, ann, {
      to: '/account/security',
      viewport,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const { page } = visit
    const dialog = page.getByRole('dialog')
    const add = page.getByRole('button', { name: 'Add authenticator app' })
    await add.press('Enter')
    await dialog.getByLabel(/^Name/).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await assertFocused(visit, 'Add authenticator app')
    await add.press('Enter')
    await dialog.getByLabel(/^Name/).fill('Phone')
    await page.keyboard.press('Enter')
    // The address was never verified, so a code from an email comes first.
    const field = dialog.getByLabel(/^Code from your email/)
    await field.waitFor()
    await visit.assertAccessible()
    await field.fill(/^\d{8}$/m.exec(await emailTo(site, ann.email, 'mailbox_code'))?.[0] ?? '')
    await page.keyboard.press('Enter')
    await dialog.getByRole('img', { name: 'Picture for your authenticator app' }).waitFor()
    const secret = ((await dialog.locator('code').textContent()) ?? '').replaceAll(' ', '')
    await dialog.getByRole('button', { name: /^Copy/ }).click()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret)
    await visit.assertAccessible()
    await dialog.getByLabel('Code', { exact: true }).fill(totpCode(secret, totpStepAt(Date.now())))
    await page.keyboard.press('Enter')
    const codes = page.getByRole('dialog', { name: 'Recovery codes' })
    await codes.waitFor()
    assert.equal(await codes.getByRole('listitem').count(), 10)
    await visit.assertAccessible()
    const saved = page.waitForEvent('download')
    await codes.getByRole('button', { name: 'Save as file' }).click()
    await saved
    // They are shown once, so no key closes them by mistake.
    await page.keyboard.press('Escape')
    await codes.getByRole('button', { name: 'I’ve saved them' }).click()
    await page.getByText('10 recovery codes are left').waitFor()
    await assertFocused(visit, 'Add authenticator app')
    await visit.assertAccessible()

    await page.getByRole('button', { name: 'Remove: Phone' }).click()
    await dialog.getByRole('button', { name: 'Remove factor' }).click()
    await page.getByText('recovery codes are left').waitFor({ state: 'detached' })
    assert.deepEqual(await site.service.db.query('select id from second_factors where account_id = $1', [ann.id]), [])
    visit.assertClean()
    await visit.close()
  })
