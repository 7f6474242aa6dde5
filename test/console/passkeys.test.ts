import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addApp, ageProofs } from '../support/factors.ts'
import { PASSWORD, type Person, signUp } from '../support/people.ts'
import { closing, setPolicy } from '../support/policies.ts'
import { DESKTOP, PHONE, useConsole, type Visit } from './support/console.ts'
import { addDevice, type Device } from './support/devices.ts'
import { emailTo } from './support/emails.ts'
import { signIn } from './support/people.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole()
const { client, db } = site.service

const mailboxCodeTo = async (email: string) => /^\d{8}$/m.exec(await emailTo(site, email, 'mailbox_code'))?.[0] ?? ''

/** On the security page: by keyboard alone, with the code that comes before the first factor. */
async function addByKeyboard(visit: Visit, { email }: Pick<Person, 'email'>, name: string): Promise<void> {
  const { page } = visit
  await page.getByRole('button', { name: 'Add passkey' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Add passkey' })
  const field = dialog.getByLabel(/^Name/)
  await field.waitFor()
  assert.match(await field.inputValue(), / on Linux$/)
  await page.keyboard.press('Control+A')
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  const code = dialog.getByLabel(/^Code from your email/)
  await code.waitFor()
  await visit.assertAccessible()
  await code.fill('00000000')
  await page.keyboard.press('Enter')
  await dialog.getByText('This code isn’t right').waitFor()
  await code.fill(await mailboxCodeTo(email))
  await page.keyboard.press('Enter')
  const codes = page.getByRole('dialog', { name: 'Recovery codes' })
  await codes.waitFor()
  assert.equal(await codes.getByRole('listitem').count(), 10)
  await visit.assertAccessible()
  await codes.getByRole('button', { name: 'I’ve saved them' }).press('Enter')
  await page.getByText('10 recovery codes are left').waitFor()
}

/** A person with a passkey, in the browser whose device has it. */
async function withPasskey(viewport = DESKTOP): Promise<{ ann: Person; visit: Visit; device: Device }> {
  const ann = await signUp(client, { name: 'Ann Lovelace' })
  const visit = await openAs(site, ann, { to: '/account/security', viewport })
  const device = await addDevice(visit)
  await addByKeyboard(visit, ann, 'Laptop')
  return { ann, visit, device }
}

/** The same device, without a session. */
async function signOut({ page }: Visit): Promise<void> {
  await page.context().clearCookies()
  await page.goto(`${site.origin}/sign-in`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

for (const [name, viewport] of Object.entries({ PHONE, DESKTOP }))
  it(`is added, signs in by itself, gets another name and is removed: ${name}`, async () => {
    const { visit } = await withPasskey(viewport)
    const { page } = visit
    await page.getByText('Never').waitFor()
    // As in a browser that offers none under the address.
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    await signOut(visit)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Hello, Ann Lovelace' }).waitFor()
    await visit.goto('/account/security')

    await page.getByRole('button', { name: 'Rename: Laptop' }).click()
    const dialog = page.getByRole('dialog')
    await visit.assertAccessible()
    await dialog.getByLabel('Name').fill(' ')
    await page.keyboard.press('Enter')
    await dialog.getByText('Enter a name.').waitFor()
    await dialog.getByLabel('Name').fill('Old laptop')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove: Old laptop' }).waitFor()
    assert.equal(await page.getByText('Never').count(), 0)
    await visit.assertAccessible()

    await page.getByRole('button', { name: 'Remove: Old laptop' }).click()
    await dialog.getByText('It’s your last factor').waitFor()
    await dialog.getByRole('button', { name: 'Remove factor' }).click()
    await page.getByText('recovery codes are left').waitFor({ state: 'detached' })
    visit.assertClean()
    await visit.close()
  })

it('is chosen from the list under the address', async () => {
  const { ann, visit, device } = await withPasskey()
  const other = await site.open({ viewport: PHONE })
  const phone = await addDevice(other)
  // Chromium chooses the only passkey of an authenticator by itself once its user is there.
  await device.copyTo(phone)
  await other.goto(`/sign-in?to=${encodeURIComponent(`/c/${ann.company.id}/settings`)}`)
  await other.page.waitForURL((url) => url.pathname === `/c/${ann.company.id}/settings`)
  assert.ok(other.calls.includes('POST /api/auth/passkeys/login'))
  for (const each of [visit, other]) {
    each.assertClean()
    await each.close()
  }
})

it('is the second step of a sign-in with the password, and says what is wrong', async () => {
  const { ann, visit, device } = await withPasskey(PHONE)
  const { page } = visit
  await device.setPresent(false)
  await signOut(visit)
  await signIn(visit, ann.email)
  const use = page.getByRole('button', { name: 'Use passkey' })
  await use.waitFor()
  await visit.assertAccessible()
  assert.equal(await page.getByRole('button', { name: 'Use the authenticator app' }).count(), 0)

  await device.setVerified(false)
  await device.setPresent(true)
  await use.click()
  await page.getByText('No passkey was used').waitFor()
  await visit.assertAccessible()
  await device.setVerified(true)
  await use.click()
  await page.getByRole('heading', { name: 'Hello, Ann Lovelace' }).waitFor()
  visit.assertClean()
  await visit.close()
})

it('is given up for another way while its device waits', async () => {
  const { ann, visit, device } = await withPasskey(PHONE)
  const { page } = visit
  await db.query('update sessions set second_factor_at = now() where account_id = $1', [ann.id])
  const app = await addApp(site.service, ann)
  await device.setPresent(false)
  await signOut(visit)
  await signIn(visit, ann.email)
  await page.getByRole('button', { name: 'Use passkey' }).click()
  await page.getByRole('button', { name: 'Use the authenticator app' }).click()
  await page.getByLabel('Code', { exact: true }).fill('000000')
  await page.keyboard.press('Enter')
  await page.getByText('This code isn’t right').waitFor()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  assert.equal(await page.getByText('No passkey was used').count(), 0)
  await page.getByRole('button', { name: 'Use passkey' }).click()
  await page.getByRole('button', { name: 'Use the authenticator app' }).click()
  await page.getByLabel('Code', { exact: true }).fill(await app.unusedCode())
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Hello, Ann Lovelace' }).waitFor()
  visit.assertClean()
  await visit.close()
})

it('is asked for anew in the second step while the button of the first one still waits', async () => {
  const { ann, visit, device } = await withPasskey(PHONE)
  const { page } = visit
  await device.setPresent(false)
  await signOut(visit)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).and(page.locator('[aria-disabled=true]')).waitFor()
  await signIn(visit, ann.email)
  const use = page.getByRole('button', { name: 'Use passkey' })
  await use.waitFor()
  await device.setPresent(true)
  await use.click()
  await page.getByRole('heading', { name: 'Hello, Ann Lovelace' }).waitFor()
  visit.assertClean()
  await visit.close()
})

it('leads to a recovery code where the device is lost', async () => {
  const { ann, visit, device } = await withPasskey()
  const { page } = visit
  await db.query(`update second_factors set public_key = decode('00', 'hex') where account_id = $1`, [ann.id])
  await device.setPresent(false)
  await signOut(visit)
  await device.setPresent(true)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('This passkey wasn’t accepted').first().waitFor()
  await visit.assertAccessible()
  await device.setPresent(false)
  await signIn(visit, ann.email)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').waitFor()
  await visit.assertAccessible()
  visit.assertClean()
  await visit.close()
})

it('confirms who it is before a password is changed', async () => {
  const { ann, visit } = await withPasskey(PHONE)
  const { page } = visit
  for (const { id } of await db.query<{ id: string }>('select id from sessions where account_id = $1', [ann.id]))
    await ageProofs({ db }, { sessionId: id }, 11)
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByLabel('New password', { exact: true }).fill('Another-horse-8')
  await page.getByRole('button', { name: 'Change password' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm that it’s you' })
  await dialog.waitFor()
  await visit.assertAccessible()
  await dialog.getByRole('button', { name: 'Use passkey' }).waitFor()
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Use passkey')
  await page.keyboard.press('Enter')
  await page.getByText('All other devices have been signed out.').waitFor()
  visit.assertClean()
  await visit.close()
})

it('stays while a company asks for it and it is the last one', async () => {
  const { ann, visit } = await withPasskey(PHONE)
  const { page } = visit
  await setPolicy(db, ann.company.id, closing.second_factor_required_by_company)
  await page.reload()
  const remove = page.getByRole('button', { name: 'Remove: Laptop' })
  await page.getByText(`${ann.company.name} asks you for a second factor.`).waitFor()
  assert.equal(await remove.getAttribute('aria-disabled'), 'true')
  await visit.assertAccessible()
  await db.query('update sessions set second_factor_at = now() where account_id = $1', [ann.id])
  await addApp(site.service, ann)
  await page.reload()
  await remove.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove factor' }).click()
  await remove.waitFor({ state: 'detached' })
  visit.assertClean()
  await visit.close()
})
