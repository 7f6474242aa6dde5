import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addApp, ageProofs } from '../support/factors.ts'
import { createRole, join } from '../support/members.ts'
import { assertProblem, PASSWORD, type Person, signUp } from '../support/people.ts'
import { DESKTOP, PHONE, useConsole } from './support/console.ts'
import { addDevice } from './support/devices.ts'
import { codeTo } from './support/emails.ts'
import { signIn } from './support/people.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole()
const { client } = site.service

const policyPage = ({ company }: Person) => `/c/${company.id}/settings/policy`
const policyOf = async ({ api }: Person) => (await api.get('/companies/policy')).body.data

/** Signed in by the page, with a password and a code. */
async function openWithCode(ann: Person, viewport = DESKTOP) {
  const app = await addApp(site.service, ann)
  const visit = await site.open({ viewport })
  await visit.goto(`/sign-in?to=${encodeURIComponent(policyPage(ann))}`)
  await signIn(visit, ann.email)
  await visit.page.getByLabel('Code', { exact: true }).fill(await app.unusedCode())
  await visit.page.keyboard.press('Enter')
  await visit.page.getByRole('heading', { name: 'Sign-in policy', level: 1 }).waitFor()
  return visit
}

describe('the sign-in policy', () => {
  for (const [name, viewport] of Object.entries({ PHONE, DESKTOP }))
    it(`shows an owner who lacks a second factor before everybody needs one: ${name}`, async () => {
      const ann = await signUp(client)
      const bob = await join(ann, await signUp(client, { name: 'Bob Byron' }))
      const visit = await openWithCode(ann, viewport)
      const { page } = visit
      await page.getByText('Everybody complies.').waitFor()
      await visit.assertAccessible()
      await page.getByLabel('Everybody', { exact: true }).check()
      await page.getByRole('button', { name: 'Review changes' }).click()
      const dialog = page.getByRole('dialog', { name: 'Who would be locked out?' })
      await dialog.getByRole('heading', { name: 'Would be locked out now (1)' }).waitFor()
      await dialog.getByRole('heading', { name: 'Lack what the policy asks for (1)' }).waitFor()
      assert.equal(await dialog.getByText('Bob Byron').count(), 2)
      await visit.assertAccessible()
      assert.equal((await policyOf(ann)).secondFactor.required, 'nobody')

      await dialog.getByRole('button', { name: 'Save and lock them out' }).click()
      await page.getByText('Policy saved.').waitFor()
      await page.getByRole('link', { name: 'Bob Byron' }).waitFor()
      await visit.assertAccessible()
      assertProblem(await bob.api.get('/companies/users'), 403, 'second_factor_required_by_company')
      const width = await page.evaluate('document.documentElement.scrollWidth')
      assert.ok(Number(width) <= viewport.width, `${width}`)
      visit.assertClean()
      await visit.close()
    })

  it('explains that it would lock out the one who sets it, and saves nothing', async () => {
    const ann = await signUp(client)
    const visit = await openAs(site, ann, { to: policyPage(ann) })
    const { page } = visit
    await page.getByLabel('Everybody', { exact: true }).check()
    await page.getByRole('button', { name: 'Review changes' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This would lock you out').waitFor()
    await dialog.getByRole('button', { name: 'Save and lock them out', disabled: true }).waitFor()
    await visit.assertAccessible()
    await page.keyboard.press('Escape')
    assert.equal((await policyOf(ann)).secondFactor.required, 'nobody')

    // What is missing is added here, and what was set in the form is still there.
    await addDevice(visit)
    await page.getByRole('button', { name: 'Review changes' }).click()
    await dialog.getByRole('button', { name: 'Add passkey' }).click()
    const adding = page.getByRole('dialog', { name: 'Add passkey' })
    await adding.getByLabel(/^Name/).fill('Laptop')
    await page.keyboard.press('Enter')
    await adding.getByLabel(/^Code from your email/).fill(await codeTo(site, ann.email))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'I’ve saved them' }).click()
    await dialog.getByText('Nobody is locked out.').waitFor()
    await dialog.getByRole('button', { name: 'Save policy' }).click()
    await page.getByText('Policy saved.').waitFor()
    assertProblem(await ann.api.get('/companies/users'), 403, 'second_factor_required_by_company')
    visit.assertClean()
    await visit.close()
  })

  it('locks no member out before the day from which it asks for a second factor', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client, { name: 'Bob Byron' }))
    const visit = await openWithCode(ann, PHONE)
    const { page } = visit
    await page.getByLabel('Everybody', { exact: true }).check()
    const inTenDays = new Date(Date.now() + 10 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
    await page.getByLabel('From this day on').fill(inTenDays)
    await page.getByRole('button', { name: 'Review changes' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Nobody is locked out.').waitFor()
    await dialog.getByText('Bob Byron').waitFor()
    await dialog.getByText('Those who only lack a second factor can enter until').waitFor()
    await visit.assertAccessible()
    await dialog.getByRole('button', { name: 'Save policy' }).click()
    await page.getByText('Policy saved.').waitFor()
    assert.equal((await bob.api.get('/companies/users')).status, 200)
    visit.assertClean()
    await visit.close()
  })

  it('asks for a proof that is too old for it, and goes on', async () => {
    const ann = await signUp(client)
    const visit = await openAs(site, ann, { to: policyPage(ann) })
    const { page } = visit
    const inBrowser = 'select id from sessions where account_id = $1 and id <> $2'
    for (const { id } of await site.service.db.query<{ id: string }>(inBrowser, [ann.id, ann.sessionId]))
      await ageProofs(site.service, { sessionId: id }, 25 * 60)
    await page.getByLabel('Confirm again after', { exact: true }).selectOption('24')
    await page.getByRole('button', { name: 'Review changes' }).click()
    const review = page.getByRole('dialog', { name: 'Who would be locked out?' })
    const confirming = page.getByRole('dialog', { name: 'Confirm that it’s you' })
    await confirming.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await visit.assertAccessible()
    await page.keyboard.press('Enter')
    await review.getByRole('button', { name: /^Save/, disabled: false }).click()
    await page.getByText('Policy saved.').waitFor()
    assert.equal((await policyOf(ann)).sessions.maxAgeHours, 24)
    visit.assertClean()
    await visit.close()
  })

  it('takes roles with a day of grace, times, networks, domains and passwords', async () => {
    const ann = await signUp(client)
    const visit = await openAs(site, ann, { to: policyPage(ann) })
    const { page } = visit
    const review = () => page.getByRole('button', { name: 'Review changes' }).click()
    const day = new Date(Date.now() + 20 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
    await page.getByLabel('Members with certain roles').check()
    await review()
    await page.getByText('Choose at least one role.').waitFor()
    await page.getByRole('checkbox', { name: 'Admin' }).check()
    await page.getByLabel('From this day on').fill(day)
    await page.getByLabel('Confirm again after', { exact: true }).selectOption('24')
    await page.getByLabel('Confirm again after a pause of').selectOption('60')
    await page.getByLabel('Allowed networks').fill('not a network')
    await review()
    await page.getByText('This value isn’t valid.').waitFor()
    await page.getByLabel('Allowed networks').fill('127.0.0.0/8\n::1/128')
    await page.getByLabel('Allowed domains of new members').fill('acme.example')
    await page.getByLabel('Also for members who are added directly').check()
    await page.getByLabel('Refuse common').check()
    await review()
    await page.getByRole('dialog').getByRole('button', { name: 'Save policy' }).click()
    await page.getByText('Policy saved.').waitFor()
    const { secondFactor, sessions, networks, members, passwords } = await policyOf(ann)
    assert.deepEqual([secondFactor.required, secondFactor.roleIds.length], ['roles', 1])
    assert.equal(Math.round((Date.parse(secondFactor.from) - Date.parse(`${day}T00:00Z`)) / 86_400_000), 0)
    assert.deepEqual(sessions, { maxAgeHours: 24, idleMinutes: 60, stepUpMinutes: null })
    assert.deepEqual(networks.allow, ['127.0.0.0/8', '::1/128'])
    assert.deepEqual(members, { domains: ['acme.example'], appliesTo: 'invitations_and_additions' })
    assert.deepEqual(passwords, { minLength: 8, refuseCommon: true })
    await page.reload()
    assert.equal(await page.getByLabel('From this day on').inputValue(), day)
    visit.assertClean()
    await visit.close()
  })

  for (const [name, viewport] of Object.entries({ PHONE, DESKTOP }))
    it(`is announced to a member who lacks a second factor, on the home of the company: ${name}`, async () => {
      const ann = await signUp(client, { companyName: `Acme Grace ${name}` })
      const bob = await join(ann, await signUp(client, { name: 'Bob Byron' }))
      const from = new Date(Date.now() + 20 * 86_400_000).toISOString()
      const saved = await ann.api.patch('/companies/policy', { secondFactor: { required: 'everybody', from } })
      assert.equal(saved.status, 200)
      const visit = await openAs(site, bob, { to: `/c/${ann.company.id}`, viewport })
      const { page } = visit
      await page.getByText('Set up a second factor').waitFor()
      await page.getByText(`${`Acme Grace ${name}`} can only be opened with a second factor`).waitFor()
      await visit.assertAccessible()
      await page.getByRole('link', { name: 'Open security settings' }).click()
      await page.waitForURL('**/account/security')
      await addApp(site.service, bob)
      await visit.goto(`/c/${ann.company.id}`)
      await page.getByRole('heading', { name: 'Needs your attention' }).waitFor()
      assert.equal(await page.getByText('Set up a second factor').count(), 0)
      visit.assertClean()
      await visit.close()
    })

  it('is read anew when someone else was faster', async () => {
    const ann = await signUp(client)
    const visit = await openAs(site, ann, { to: policyPage(ann) })
    const { page } = visit
    await page.getByLabel('Confirm again after', { exact: true }).selectOption('24')
    assert.equal((await ann.api.patch('/companies/policy', { sessions: { idleMinutes: 60 } })).status, 200)
    await page.getByRole('button', { name: 'Review changes' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save policy' }).click()
    await page.getByText('Someone else changed the policy in the meantime.').waitFor()
    assert.equal(await page.getByLabel('Confirm again after a pause of').inputValue(), '60')
    assert.equal((await policyOf(ann)).sessions.maxAgeHours, null)
    visit.assertClean()
    await visit.close()
  })

  it('can be read by who may only look, and by no other member', async () => {
    const ann = await signUp(client)
    await createRole(ann, 'Auditor', ['policy:read'])
    const bob = await join(ann, await signUp(client), ['Auditor'])
    const visit = await openAs(site, bob, { to: policyPage(ann) })
    const { page } = visit
    await page.getByText('You can see the policy, but not change it.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Review changes' }).count(), 0)
    assert.equal(await page.getByText('Members who don’t comply').count(), 0)
    await visit.assertAccessible()
    const carl = await join(ann, await signUp(client))
    const other = await openAs(site, carl, { to: policyPage(ann) })
    await other.page.getByText('You don’t have permission to see this').waitFor()
    for (const each of [visit, other]) {
      each.assertClean()
      await each.close()
    }
  })
})
