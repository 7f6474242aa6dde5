import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addApp, ageProofs } from '../support/factors.ts'
import { join } from '../support/members.ts'
import { PASSWORD, type Person, signUp } from '../support/people.ts'
import { closing, dropPolicy, setPolicy } from '../support/policies.ts'
import { DESKTOP, PHONE, useConsole, type Visit } from './support/console.ts'
import { addDevice } from './support/devices.ts'
import { emailTo } from './support/emails.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole()
const { client, db } = site.service

/** An owner, and an admin who is at work in the console. */
async function atWork(viewport = DESKTOP) {
  const owner = await signUp(client)
  const bob = await signUp(client, { name: 'Bob Hopper' })
  await join(owner, bob, ['Admin'])
  const path = `/c/${owner.company.id}/branches`
  const visit = await openAs(site, bob, { to: path, viewport })
  await visit.page.getByRole('heading', { name: 'Branches', level: 1 }).waitFor()
  return { owner, bob, visit, path }
}

const sessionsOf = ({ id }: Person) => db.query<{ id: string }>('select id from sessions where account_id = $1', [id])

async function letProofsAge(person: Person, minutes: number): Promise<void> {
  for (const { id } of await sessionsOf(person)) await ageProofs({ db }, { sessionId: id }, minutes)
}

/** What a person has begun to write. */
async function beginBranch({ page }: Visit, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add branch' }).first().click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
}

const submitBranch = ({ page }: Visit) => page.getByRole('dialog').getByRole('button', { name: 'Add branch' }).click()

for (const [name, viewport] of Object.entries({ PHONE, DESKTOP }))
  it(`asks a member for a second factor, and goes on where they were: ${name}`, async () => {
    const { owner, bob, visit, path } = await atWork(viewport)
    const { page } = visit
    await addDevice(visit)
    await addApp(site.service, owner)
    await beginBranch(visit, 'Porto')
    const set = await owner.api.patch('/companies/policy', { secondFactor: { required: 'everybody' } })
    assert.equal(set.status, 200, JSON.stringify(set.body))

    await submitBranch(visit)
    await page.locator('h1:focus').getByText(' asks for a second factor').waitFor()
    await visit.assertAccessible()
    await page.getByRole('button', { name: 'Add passkey' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Add passkey' })
    await dialog.getByLabel(/^Name/).fill('Phone')
    await page.keyboard.press('Enter')
    const code = /^\d{8}$/m.exec(await emailTo(site, bob.email, 'mailbox_code'))?.[0] ?? ''
    await dialog.getByLabel(/^Code from your email/).fill(code)
    await page.keyboard.press('Enter')
    const codes = page.getByRole('dialog', { name: 'Recovery codes' })
    await codes.waitFor()
    assert.equal(await codes.getByRole('listitem').count(), 10)
    await visit.assertAccessible()
    await codes.getByRole('button', { name: 'I’ve saved them' }).press('Enter')

    assert.equal(new URL(page.url()).pathname, path)
    assert.equal(await page.getByRole('dialog').getByLabel('Name').inputValue(), 'Porto')
    // Where it was: on the button that was pressed before.
    await page.locator('[role=dialog] :focus').waitFor()
    assert.equal(await page.locator(':focus').textContent(), 'Add branch')
    assert.equal(await page.getByText('This company asks for a second factor.').count(), 0)
    await submitBranch(visit)
    await page.getByRole('treeitem', { name: /Porto/ }).waitFor()
    visit.assertClean()
    await visit.close()
  })

it('wants a fresh proof from a list as from a form, and says what is locked where none is given', async () => {
  const { owner, bob, visit } = await atWork(PHONE)
  const { page } = visit
  const dialog = page.getByRole('dialog', { name: 'Confirm that it’s you' })
  await setPolicy(db, owner.company.id, `policy_age = '5 minutes'`)
  await letProofsAge(bob, 6)
  await beginBranch(visit, 'Lisbon')
  await submitBranch(visit)
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('treeitem', { name: /Lisbon/ }).waitFor()

  await letProofsAge(bob, 6)
  await page.getByRole('button', { name: 'Open navigation' }).click()
  await page.getByRole('link', { name: 'Members' }).click()
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: / asks again that it’s you$/ }).waitFor()
  await visit.assertAccessible()
  await page.getByRole('button', { name: 'Confirm that it’s you' }).click()
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor()
  await page.getByRole('main').getByText(bob.email).first().waitFor()
  visit.assertClean()
  await visit.close()
})

it('asks for the second factor that a session has not proved', async () => {
  const { owner, bob, visit } = await atWork()
  const { page } = visit
  const app = await addApp(site.service, bob)
  await setPolicy(db, owner.company.id, closing.second_factor_required_by_company)
  await page.reload()
  await page.getByRole('heading', { name: / asks for your second factor$/ }).waitFor()
  await visit.assertAccessible()
  await page.getByRole('button', { name: 'Switch company' }).click()
  await page.getByRole('menu').getByText('Locked').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Confirm that it’s you' }).click()
  await page.getByLabel('Code', { exact: true }).fill(await app.unusedCode())
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Branches', level: 1 }).waitFor()
  visit.assertClean()
  await visit.close()
})

it('leads to a stronger password and back, and waits for another network', async () => {
  const { owner, bob, visit, path } = await atWork()
  const { page } = visit
  // As if a shorter password had opened the session.
  await db.query('update sessions set password_class = 8 where account_id = $1', [bob.id])
  await setPolicy(db, owner.company.id, `policy_passwords = '{15}'`)
  await page.reload()
  await page.getByRole('heading', { name: / asks for a stronger password$/ }).waitFor()
  await visit.assertAccessible()
  await page.getByRole('link', { name: 'Change password' }).click()
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByLabel('New password', { exact: true }).fill('Much-longer-horse-8')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('heading', { name: 'Branches', level: 1 }).waitFor()
  assert.equal(new URL(page.url()).pathname, path)

  await dropPolicy(db, owner.company.id)
  await setPolicy(db, owner.company.id, closing.network_not_allowed)
  await page.reload()
  await page.getByRole('heading', { name: / can’t be used from this network$/ }).waitFor()
  await page.getByText('If no owner can get in any more, contact support.').waitFor()
  await visit.assertAccessible()
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('The company is still locked for you').waitFor()
  await dropPolicy(db, owner.company.id)
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByRole('heading', { name: 'Branches', level: 1 }).waitFor()
  visit.assertClean()
  await visit.close()
})

it('can be left while it is closed', async () => {
  const { owner, bob, visit } = await atWork(PHONE)
  const { page } = visit
  await setPolicy(db, owner.company.id, closing.network_not_allowed)
  await page.reload()
  await page.getByRole('button', { name: 'Leave company' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave company' }).click()
  await page.getByRole('heading', { name: 'Hello, Bob Hopper' }).waitFor()
  assert.deepEqual(
    await db.query('select account_id from memberships where company_id = $1 and account_id = $2', [
      owner.company.id,
      bob.id,
    ]),
    [],
  )
  visit.assertClean()
  await visit.close()
})
