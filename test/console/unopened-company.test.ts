import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { addMember, join, link } from '../support/members.ts'
import { PASSWORD, type Person, signUp } from '../support/people.ts'
import { closing, dropPolicy, setPolicy } from '../support/policies.ts'
import { DESKTOP, PHONE, useConsole, type Visit } from './support/console.ts'
import { passwordTo } from './support/emails.ts'
import { headingFocused, signIn } from './support/people.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole()
const { client, db } = site.service
const STRANGER = 'Acme of a stranger'

/** A person, and a company of a stranger that has added them. */
async function added() {
  const vic = await signUp(client, { name: 'Vic' })
  const stranger = await signUp(client, { companyName: `${STRANGER} ${vic.id}` })
  await link(stranger, vic, ['Admin'])
  return { vic, stranger, path: `/c/${stranger.company.id}` }
}

async function membership(company: Person, { id }: { id: string }) {
  const [row] = await db.query<{ opened: boolean }>(
    'select opened_at is not null as opened from memberships where company_id = $1 and account_id = $2',
    [company.company.id, id],
  )
  return row
}

const asked = ({ page }: Visit) =>
  page
    .locator('h1', { hasText: STRANGER })
    .getByText(/added you$/)
    .waitFor()
const hello = ({ page }: Visit) => page.getByRole('heading', { name: /^Hello/ }).waitFor()
const open = ({ page }: Visit) => page.getByRole('button', { name: 'Open company' })
const last = ({ page }: Visit): Promise<unknown> => page.evaluate(`localStorage.getItem('tenantry.company')`)

/** A page of another site, which sends its visitors to an address of the console. */
async function foreignSite(target: string): Promise<string> {
  const page = `<!doctype html><title>Elsewhere</title><script>location.href = ${JSON.stringify(target)}</script>`
  const server = http.createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(page)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

describe('a company that the account has not opened', () => {
  it('is none to which a member can be added from another company', async () => {
    const { vic, stranger } = await added()
    const zoe = await join(vic, await signUp(client))
    const own = (await vic.api.post('/companies', { name: `Second of ${vic.id}`, taxId: 'T-2' })).body.data
    const visit = await openAs(site, vic, { to: `/c/${vic.company.id}/members/${zoe.id}` })
    await visit.page.getByRole('button', { name: 'Add to another company' }).click()
    const options = visit.page.getByRole('dialog').getByLabel('Company').getByRole('option')
    await options.getByText(own.name).waitFor({ state: 'attached' })
    assert.deepEqual(await options.allTextContents(), ['Choose a company', own.name])
    assert.deepEqual(await membership(stranger, vic), { opened: false })
    await visit.close()
  })

  it('is not opened by a link of another site, whatever it leads to, and never takes the place of another one', async () => {
    const { vic, stranger, path } = await added()
    const visit = await openAs(site, vic, { to: `/c/${vic.company.id}` })
    await hello(visit)
    const targets = [path, `${path}/members`, `/?company=${stranger.company.id}`, `/sign-in?to=${path}/settings`]
    for (const target of targets) {
      const before = visit.calls.length
      await visit.page.goto(await foreignSite(site.origin + target))
      await asked(visit)
      await visit.page.waitForLoadState('networkidle')
      assert.deepEqual(visit.calls.slice(before), ['POST /api/auth/refresh', 'GET /api/auth/me'], target)
    }
    assert.deepEqual(await membership(stranger, vic), { opened: false })
    assert.equal(await last(visit), vic.company.id)

    await visit.goto('/')
    await visit.page.waitForURL((url) => url.pathname === `/c/${vic.company.id}`)
    await hello(visit)
    // What an earlier version has kept is no company that the account has opened.
    await visit.page.evaluate(`localStorage.setItem('tenantry.company', '${stranger.company.id}')`)
    await visit.goto('/')
    await visit.page.waitForURL((url) => url.pathname === `/c/${vic.company.id}`)
    await visit.goto('/account')
    await visit.page.getByRole('button', { name: `${vic.company.name} Switch company` }).click()
    await visit.page.getByRole('menu').getByText('Not opened').waitFor()
    visit.assertClean()
    await visit.close()
  })

  it('is asked about after signing in with its address, too', async () => {
    const { vic, stranger, path } = await added()
    const visit = await openAs(site, vic, { to: `${path}/members` })
    await asked(visit)
    await visit.page.waitForLoadState('networkidle')
    assert.deepEqual(await membership(stranger, vic), { opened: false })
    assert.equal(await last(visit), null)
    await visit.close()
  })

  for (const [name, viewport] of Object.entries({ PHONE, DESKTOP }))
    it(`is opened by its button, and goes on where the address leads: ${name}`, async () => {
      const { vic, stranger, path } = await added()
      const visit = await openAs(site, vic, { to: `${path}/members`, viewport })
      await headingFocused(visit, 'added you')
      await visit.assertAccessible()
      const navigation = visit.page.getByRole('navigation', { name: 'Main navigation', includeHidden: true })
      assert.equal(await navigation.getByRole('link', { includeHidden: true }).count(), 0)
      await open(visit).press('Enter')
      await headingFocused(visit, 'Members')
      await visit.page.getByRole('main').getByText(stranger.email).first().waitFor()
      assert.deepEqual(await membership(stranger, vic), { opened: true })
      assert.equal(await last(visit), stranger.company.id)
      await visit.page.reload()
      await visit.page.getByRole('heading', { name: 'Members', level: 1 }).waitFor()
      visit.assertClean()
      await visit.close()
    })

  it('is left by its other button, which opens nothing and leads to another company', async () => {
    const { vic, stranger, path } = await added()
    const visit = await openAs(site, vic, { to: path, viewport: PHONE })
    await asked(visit)
    await visit.page.getByRole('button', { name: 'Leave company' }).click()
    const dialog = visit.page.getByRole('dialog')
    await visit.assertAccessible()
    // As if an administrator had been shown a password of the account in this moment.
    await db.query(`update memberships set awaits_verification = true where company_id = $1 and account_id = $2`, [
      stranger.company.id,
      vic.id,
    ])
    await db.query('update accounts set password_shown_at = now() where id = $1', [vic.id])
    await dialog.getByRole('button', { name: 'Leave company' }).click()
    await dialog.getByText('Confirm your email address first.').waitFor()
    assert.deepEqual(await membership(stranger, vic), { opened: false })

    await db.query('update accounts set password_shown_at = null where id = $1', [vic.id])
    await dialog.getByRole('button', { name: 'Leave company' }).click()
    await hello(visit)
    assert.equal(new URL(visit.page.url()).pathname, `/c/${vic.company.id}`)
    assert.equal(await membership(stranger, vic), undefined)
    visit.assertClean()
    await visit.close()
  })

  it('asks before its policy does, and opens once that lets the person in', async () => {
    const { vic, stranger, path } = await added()
    await setPolicy(db, stranger.company.id, closing.network_not_allowed)
    const visit = await openAs(site, vic, { to: path })
    await asked(visit)
    await open(visit).click()
    await visit.page
      .locator('h1:focus')
      .getByText(/ can’t be used from this network$/)
      .waitFor()
    assert.deepEqual(await membership(stranger, vic), { opened: false })
    await dropPolicy(db, stranger.company.id)
    await visit.page.getByRole('button', { name: 'Check again' }).click()
    await hello(visit)
    assert.deepEqual(await membership(stranger, vic), { opened: true })
    visit.assertClean()
    await visit.close()
  })

  it('says why it can’t be opened', async () => {
    const { vic, stranger, path } = await added()
    const visit = await openAs(site, vic, { to: path })
    await asked(visit)
    await visit.page.route(`**/api/companies/${stranger.company.id}`, (route) => route.abort())
    await open(visit).click()
    await visit.page.getByText('We couldn’t reach the service.').first().waitFor()
    await visit.page.unroute(`**/api/companies/${stranger.company.id}`)
    await stranger.api.delete(`/companies/users/${vic.id}`)
    await open(visit).click()
    await visit.page.getByRole('heading', { name: 'You’re not in this company' }).waitFor()
    await visit.close()
  })
})

it('the only company of a new account is asked about, and a company that was opened later is the default', async () => {
  const ann = await signUp(client)
  const { id, email } = await addMember(ann)
  const visit = await site.open()
  await visit.goto('/sign-in')
  await signIn(visit, email, await passwordTo(site, email, 'temporary_password'))
  await visit.page.getByLabel('New password', { exact: true }).fill(PASSWORD)
  await visit.page.getByRole('button', { name: 'Save password' }).click()
  await visit.page.getByRole('heading', { name: `${ann.company.name} added you` }).waitFor()
  await visit.page.getByText(/^It created your account\./).waitFor()
  assert.deepEqual(await membership(ann, { id }), { opened: false })

  const session = (await client.post('/auth/login', { email, password: PASSWORD })).body.data
  const olive = await signUp(client)
  await join(olive, { ...olive, id, email, api: olive.api.with({ token: session.accessToken }) })
  await visit.goto('/')
  await hello(visit)
  assert.equal(new URL(visit.page.url()).pathname, `/c/${olive.company.id}`)
  await visit.close()
})
