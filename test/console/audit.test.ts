import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { newId } from '../../src/lib/ids.ts'
import { commandLineWith, databaseUrlOf } from '../support/command-line.ts'
import { addMember, createRole, join } from '../support/members.ts'
import { type Person, signUp } from '../support/people.ts'
import { DESKTOP, PHONE, TABLET, useConsole } from './support/console.ts'
import { openAs } from './support/sign-in.ts'

const APP_SECRET = 'the-secret-of-the-service-and-its-commands'
const site = await useConsole({ APP_SECRET })
const { client, db } = site.service
const run = commandLineWith({ APP_SECRET, DATABASE_URL: databaseUrlOf(db), NODE_ENV: 'test' })

const logOf = ({ company }: Person) => `/c/${company.id}/audit`

/** A company in which something was done and something was refused. */
async function createStory() {
  const ann = await signUp(client, { name: 'Ann Lovelace', companyName: 'Acme', slug: `acme-${newId()}` })
  const bob = await join(ann, await signUp(client, { name: 'Bob Byron' }))
  await ann.api.patch(`/companies/${ann.company.id}`, { name: 'Acme Coffee', timezone: 'Europe/Lisbon' })
  await bob.api.post('/companies/branches', { name: 'Secret branch' })
  return { ann, bob }
}

const records = (page: Page) => page.getByRole('region', { name: 'Records' }).getByRole('listitem')

describe('the audit log', () => {
  for (const [name, viewport] of Object.entries({ PHONE, TABLET, DESKTOP }))
    it(`says what was done and what was refused, and shows values before and after: ${name}`, async () => {
      const { ann } = await createStory()
      const visit = await openAs(site, ann, { to: logOf(ann), viewport })
      const { page } = visit
      const refused = records(page).filter({ hasText: 'Bob Byron tried to create a branch' })
      await refused.getByText('Refused: no permission').waitFor()
      const changed = records(page).filter({ hasText: 'Ann Lovelace changed the settings of the company Acme' })
      await changed.locator('summary').click()
      const row = changed.getByRole('row', { name: /Name/ })
      await row.getByText('Acme', { exact: true }).waitFor()
      await row.getByText('Acme Coffee').waitFor()
      await changed.getByText('Europe/Lisbon').waitFor()
      await changed.getByText('Request ID').waitFor()
      await changed.getByText('127.0.0.1').waitFor()
      await visit.assertAccessible()
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
      visit.assertClean()
      await visit.close()
    })

  it('says where a person was erased', async () => {
    const ann = await signUp(client, { name: 'Ann Lovelace' })
    const bob = await join(ann, await signUp(client, { name: 'Bob Boole' }), ['Admin'])
    await bob.api.patch(`/companies/users/${bob.id}`, { position: 'Chair' })
    await ann.api.patch(`/companies/users/${bob.id}`, { position: 'Clerk' })
    assert.equal((await run('user', 'disable', bob.id, '--no-email')).exitCode, 0)
    assert.equal((await run('audit', 'erase', bob.id, '--as', 'Olga')).exitCode, 0)
    const visit = await openAs(site, ann, { to: logOf(ann), viewport: DESKTOP })
    const { page } = visit
    await page.getByText('Operator (Olga) erased a person from the log').waitFor()
    await page.getByText('Ann Lovelace changed Erased person').waitFor()
    await page.getByText('Erased person changed Erased person').waitFor()
    const record = records(page).filter({ hasText: 'Ann Lovelace changed Erased person' })
    await record.locator('summary').click()
    await record.getByText('Member: Erased person').waitFor()
    assert.equal(await page.getByText('Bob Boole').count(), 0)
    await visit.assertAccessible()
    visit.assertClean()
    await visit.close()
  })

  it('names people, permissions, devices and deactivations in words', async () => {
    const { ann, bob } = await createStory()
    const eva = await addMember(ann, { name: 'Eva Noether' })
    const role = await createRole(ann, 'Auditor', ['audit:read'])
    await ann.api.patch(role.path, { permissions: ['branches:read'] })
    await ann.api.patch(`/companies/users/${eva.id}`, { status: 'inactive' })
    await bob.api.delete(`/companies/users/${eva.id}`)
    await ann.api.post(`/companies/${ann.company.id}/ownership-transfer`, { userId: bob.id })
    const visit = await openAs(site, ann, { to: logOf(ann) })
    const { page } = visit
    const open = async (sentence: string) => {
      const found = records(page).filter({ hasText: sentence })
      await found.locator('summary').click()
      return found
    }
    const changed = await open('Ann Lovelace changed the role Auditor')
    await changed.getByText('View branches').waitFor()
    await changed.getByText('View the audit log').waitFor()
    await (await open('Ann Lovelace deactivated Eva Noether')).getByText(`Eva Noether (${eva.email})`).waitFor()
    const refused = await open('Bob Byron tried to remove a member: Eva Noether')
    await refused.getByText('No permission', { exact: true }).waitFor()
    const offered = await open('Ann Lovelace offered ownership')
    await offered.getByRole('cell', { name: 'Bob Byron' }).waitFor()
    const { api } = ann
    await api
      .with({ headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0' } })
      .patch(`/companies/users/${eva.id}`, { status: 'active' })
    await page.reload()
    await (await open('Ann Lovelace activated Eva Noether')).getByText('Firefox on Windows').waitFor()
    for (const code of ['branches:read', 'permission_missing'])
      assert.equal(await page.getByText(code, { exact: true }).count(), 0, code)
    await visit.assertAccessible()
    visit.assertClean()
    await visit.close()
  })

  it('is filtered by its address, which Back leads through', async () => {
    const { ann, bob } = await createStory()
    const visit = await openAs(site, ann, { to: logOf(ann) })
    const { page } = visit
    await records(page).filter({ hasText: 'created the company' }).waitFor()
    await page.getByLabel('Outcome').selectOption('permission_missing')
    await page.waitForURL(/outcome=permission_missing/)
    await records(page).filter({ hasText: 'created the company' }).waitFor({ state: 'detached' })
    await records(page).filter({ hasText: 'tried to create a branch' }).waitFor()
    assert.equal(await records(page).count(), 1)
    await visit.assertAccessible()

    await page.getByLabel('Outcome').selectOption('slug_taken')
    await page.getByText('No records match').waitFor()
    await page.goBack()
    await records(page).filter({ hasText: 'tried to create a branch' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await records(page).filter({ hasText: 'created the company' }).waitFor()

    await page.getByRole('button', { name: 'Person', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Bob Byron').check()
    await visit.assertAccessible()
    await page.getByRole('dialog').getByRole('button', { name: 'Show records' }).click()
    await page.getByRole('button', { name: 'Remove filter: By Bob Byron' }).waitFor()
    await records(page).filter({ hasText: 'created the company' }).waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).searchParams.get('actorId'), bob.id)

    await page.reload()
    await records(page).filter({ hasText: 'tried to create a branch' }).waitFor()
    assert.equal(await records(page).count(), 1)
    await page.getByLabel('From').fill('2020-01-01')
    await page.getByLabel('To').fill('2020-12-31')
    await page.getByText('No records match').waitFor()
    visit.assertClean()
    await visit.close()
  })

  it('goes on by cursor where it is long', async () => {
    const ann = await signUp(client)
    for (let number = 0; number < 55; number++) await ann.api.post('/companies/branches', { name: `Site ${number}` })
    const visit = await openAs(site, ann, { to: logOf(ann), viewport: PHONE })
    const { page } = visit
    await page.getByRole('button', { name: 'Load more' }).waitFor()
    assert.equal(await records(page).count(), 50)
    await page.getByRole('button', { name: 'Load more' }).click()
    await records(page).filter({ hasText: 'created the company' }).waitFor()
    assert.equal(await records(page).count(), 56)
    assert.equal(await page.getByRole('button', { name: 'Load more' }).count(), 0)
    visit.assertClean()
    await visit.close()
  })

  it('is read by keyboard alone', async () => {
    const { ann } = await createStory()
    const visit = await openAs(site, ann, { to: `${logOf(ann)}` })
    const { page } = visit
    const changed = records(page).filter({ hasText: 'changed the settings' })
    await changed.waitFor()
    for (let step = 0; step < 60; step++) {
      if (
        await page.evaluate(
          `document.activeElement?.matches('summary') && document.activeElement.innerText.includes('changed the settings')`,
        )
      )
        break
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await changed.getByText('Acme Coffee').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(/actorId=/)
    await visit.assertAccessible()
    visit.assertClean()
    await visit.close()
  })

  it('is said in the language of the reader', async () => {
    const { ann } = await createStory()
    for (const [locale, sentence, reason] of [
      ['es', 'Bob Byron intentó crear una sucursal', 'Rechazado: sin permiso'],
      ['pt-BR', 'Bob Byron tentou criar uma filial', 'Recusado: sem permissão'],
    ] as const) {
      assert.equal((await ann.api.put('/auth/profile', { locale })).status, 200)
      const visit = await openAs(site, ann, { to: logOf(ann) })
      const { page } = visit
      await page.getByRole('listitem').filter({ hasText: sentence }).waitFor()
      await page.getByText(reason).waitFor()
      await visit.assertAccessible()
      visit.assertClean()
      await visit.close()
    }
  })

  it('says the words of the service in the language of the reader, and names as they are', async () => {
    const ann = await signUp(client, { name: 'Ann Lovelace' })
    const { id } = (await ann.api.post('/companies/branches', { name: 'Porto' })).body.data
    await ann.api.patch(`/companies/branches/${id}`, { name: 'pending' })
    await ann.api.patch('/companies/policy', {
      members: { domains: ['acme.example'], appliesTo: 'invitations_and_additions' },
    })
    await ann.api.post('/companies/invitations', { email: 'bob@acme.example', expiresInDays: 3 })
    await ann.api.put('/auth/profile', { locale: 'es' })
    const visit = await openAs(site, ann, { to: logOf(ann) })
    const { page } = visit
    const open = async (field: string) => {
      const record = page.getByRole('region', { name: 'Registros' }).getByRole('listitem').filter({ hasText: field })
      await record.locator('summary').click()
      return record
    }
    await (await open('Nombre'))
      .getByRole('row', { name: /Nombre/ })
      .getByText('pending')
      .waitFor()
    await (await open('Los dominios se aplican a')).getByText('invitaciones y miembros agregados').waitFor()
    await (await open('Días de validez')).getByText('3', { exact: true }).waitFor()
    visit.assertClean()
    await visit.close()
  })

  it('is not there for a member who may not read it', async () => {
    const { ann, bob } = await createStory()
    const visit = await openAs(site, bob, { to: logOf(ann) })
    const { page } = visit
    await page.getByText('You don’t have permission to see this').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Audit log' }).count(), 0)
    assert.deepEqual(
      visit.calls.filter((call) => call.includes('/audit')),
      [],
    )
    visit.assertClean()
    await visit.close()
  })

  it('makes two calls at most', async () => {
    const { ann } = await createStory()
    const visit = await openAs(site, ann, { to: logOf(ann) })
    await addMember(ann, { name: 'Eva Noether' })
    await visit.page.reload()
    visit.calls.length = 0
    await visit.page.reload()
    await records(visit.page).filter({ hasText: 'Ann Lovelace added Eva Noether' }).waitFor()
    assert.deepEqual(visit.calls.filter((call) => call.includes('/companies')).sort(), [
      'GET /api/companies/audit',
      'GET /api/companies/users',
    ])
    visit.assertClean()
    await visit.close()
  })
})

describe('the seal of the audit log', () => {
  it('says that it is intact, and where it is not', async () => {
    const { ann } = await createStory()
    const visit = await openAs(site, ann, { to: logOf(ann), viewport: PHONE })
    const { page } = visit
    await page.getByRole('button', { name: 'Verify log' }).click()
    await page.getByRole('heading', { name: /^Intact: \d+ records are exactly as sealed/ }).waitFor()
    await page.getByText('What this proves').click()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save checkpoint' }).click()
    const { checkpoint } = JSON.parse(await readFile(await (await saved).path(), 'utf8'))
    assert.equal(checkpoint.company, ann.company.id)
    await visit.assertAccessible()

    await db.query(`update audit_records set actor_name = 'Mallory' where company_id = $1 and seq = 2`, [
      ann.company.id,
    ])
    await page.getByRole('button', { name: 'Verify again' }).click()
    await page.getByRole('heading', { name: 'This log was tampered with' }).waitFor()
    await page.getByText('First at record 2: it was changed.').waitFor()
    await visit.assertAccessible()
    visit.assertClean()
    await visit.close()
  })

  it('is in the export, which is saved as a file', async () => {
    const { ann } = await createStory()
    const visit = await openAs(site, ann, { to: logOf(ann) })
    const { page } = visit
    const save = async () => {
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export records' }).click()
      const download = await saved
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
    }
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await visit.assertAccessible()
    const whole = await save()
    assert.match(whole.name, /^audit-\d{8}T\d{6}Z\.ndjson$/)
    assert.ok(JSON.parse(whole.text.split('\n')[0] as string).checkpoint)
    assert.match(whole.text, /companies\.create/)
    await records(page).filter({ hasText: 'exported the audit log' }).waitFor()

    await page.getByLabel('Outcome').selectOption('permission_missing')
    await page.waitForURL(/outcome=/)
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByLabel(/^CSV/).check()
    const filtered = await save()
    assert.match(filtered.name, /\.csv$/)
    assert.match(filtered.text, /permission_missing/)
    assert.doesNotMatch(filtered.text, /companies\.create/)
    visit.assertClean()
    await visit.close()
  })
})

describe('the retention of the audit log', () => {
  it('is changed by those who may, with a warning about what is deleted', async () => {
    const { ann } = await createStory()
    const visit = await openAs(site, ann, { to: logOf(ann), viewport: PHONE })
    const { page } = visit
    await page.getByText('How long records are kept').click()
    await page.getByRole('button', { name: 'Change retention' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('For a number of days').check()
    await dialog.getByLabel('Days', { exact: true }).fill('7')
    await dialog.getByRole('button', { name: 'Save retention' }).click()
    await dialog.getByText('Enter a number from 30 to 3,650.').waitFor()
    await dialog.getByLabel('Days', { exact: true }).fill('90')
    await dialog.getByText(/Records older than 90 days are deleted for good/).waitFor()
    await visit.assertAccessible()
    await dialog.getByRole('button', { name: 'Save retention' }).click()
    await page.getByText('Records are deleted after 90 days.').waitFor()
    assert.equal((await ann.api.get('/companies/audit/settings')).body.data.retentionDays, 90)
    visit.assertClean()
    await visit.close()
  })

  it('is only shown to those who may not change it', async () => {
    const { ann } = await createStory()
    const roles = await ann.api.post('/companies/roles', { name: 'Auditor', permissions: ['audit:read'] })
    assert.equal(roles.status, 201)
    const carl = await join(ann, await signUp(client), ['Auditor'])
    const visit = await openAs(site, carl, { to: logOf(ann) })
    const { page } = visit
    await page.getByText('How long records are kept').click()
    await page.getByText('Records are kept forever.').waitFor()
    for (const name of ['Change retention', 'Person'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
    await visit.assertAccessible()
    visit.assertClean()
    await visit.close()
  })
})
