import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { addMember } from '../support/members.ts'
import { type Person, signIn as signInByApi, signUp } from '../support/people.ts'
import { PHONE, useConsole, type Visit } from './support/console.ts'
import { passwordTo } from './support/emails.ts'
import { signIn } from './support/people.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole()
const { client } = site.service
const ROUNDS = 3

/** The person is signed in in the first tab; returns the second one, which still asks who it is. */
async function openTwoTabs({ page, goto }: Visit, { email }: Person): Promise<Page> {
  const other = await page.context().newPage()
  await other.goto(`${site.origin}/sign-in`)
  await other.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  await goto('/sign-in?to=/account')
  await signIn({ page }, email)
  return other
}

describe('two tabs', () => {
  it('that refresh at once stay signed in, by one session', async () => {
    const ann = await signUp(client, { name: 'Ann' })
    const home = `/c/${ann.company.id}`
    const visit = await openAs(site, ann, { to: home })
    const tabs = [visit.page, await visit.page.context().newPage(), await visit.page.context().newPage()]
    for (const tab of tabs.slice(1)) await tab.goto(site.origin + home)
    // A reload leaves only the cookie: each tab has to exchange what is in it.
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(tabs.map((tab) => tab.reload()))
      await Promise.all(tabs.map((tab) => tab.getByRole('heading', { name: 'Hello, Ann' }).waitFor()))
    }
    const { sessions } = await sessionsOf(ann.id)
    // That of the sign-up by the API, and that of the browser.
    assert.equal(sessions, 2)
    await visit.assertAccessible()
    visit.assertClean()
    await visit.close()
  })

  it('keep nothing of one account on the page once another one has signed in', async () => {
    const ann = await signUp(client, { name: 'Ann' })
    const bob = await signUp(client, { name: 'Bob' })
    const visit = await site.open()
    const other = await openTwoTabs(visit, ann)
    const name = visit.page.getByLabel('Name', { exact: true })
    await name.fill('Ann the First')

    // Who it is now can't be read at first.
    const reads = '**/api/auth/me'
    await visit.page.route(reads, (route) => route.abort())
    await signIn({ page: other }, bob.email)
    await visit.page.getByText('We couldn’t reach the service.').waitFor()
    assert.equal(await name.count(), 0)
    assert.ok(!(await visit.page.content()).includes(ann.email))

    await visit.page.unroute(reads)
    await visit.page.getByRole('button', { name: 'Try again' }).click()
    await name.waitFor()
    assert.equal(await name.inputValue(), 'Bob')
    await visit.close()
  })

  it('show nothing of one account to another one that has to choose a password first', async () => {
    const ann = await signUp(client, { name: 'Ann' })
    const { email } = await addMember(await signUp(client))
    const temporary = await passwordTo(site, email, 'temporary_password')
    const visit = await site.open()
    const other = await openTwoTabs(visit, ann)
    await visit.page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()

    // The page that they are led to takes its time.
    const asked = Promise.withResolvers<void>()
    const loaded = Promise.withResolvers<void>()
    await visit.page.route('**/assets/change-password*.js', async (route) => {
      asked.resolve()
      await loaded.promise
      await route.continue()
    })
    await signIn({ page: other }, email, temporary)
    await asked.promise
    assert.ok(!(await visit.page.content()).includes(ann.email))
    loaded.resolve()
    await visit.page.getByRole('heading', { name: 'Choose your own password' }).waitFor()
    visit.assertClean()
    await visit.close()
  })

  it('sign out together', async () => {
    const ann = await signUp(client, { name: 'Ann' })
    const home = `/c/${ann.company.id}`
    const visit = await openAs(site, ann, { to: home })
    const other = await visit.page.context().newPage()
    await other.goto(site.origin + home)
    await other.getByRole('heading', { name: 'Hello, Ann' }).waitFor()
    await visit.page.getByRole('button', { name: /Account menu/ }).click()
    await visit.page.getByRole('menuitem', { name: 'Sign out' }).click()
    for (const tab of [visit.page, other]) await tab.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.ok(!(await other.content()).includes(ann.email))
    visit.assertClean()
    await visit.close()
  })
})

describe('signing out', () => {
  it('leaves nothing that was read in the cache of the browser', async () => {
    const ann = await signUp(client, { name: 'Ann' })
    const paths = [`/c/${ann.company.id}/members/${ann.id}`, `/c/${ann.company.id}/settings`]
    const visit = await openAs(site, ann, { to: paths[0] as string })
    const { page } = visit
    await page.getByRole('heading', { name: 'Ann', level: 1 }).waitFor()
    await visit.goto(paths[1] as string)
    await page.getByRole('heading', { name: 'Company settings' }).waitFor()
    await page.getByRole('button', { name: /Account menu/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    for (const path of [`/api/companies/users/${ann.id}`, `/api/companies/${ann.company.id}`]) {
      assert.ok(visit.calls.includes(`GET ${path}`), path)
      const kept = `fetch('${path}', { cache: 'only-if-cached', mode: 'same-origin' }).then(({ status }) => status, () => 'nothing')`
      assert.equal(await page.evaluate(kept), 'nothing', path)
    }
    await visit.close()
  })
})

async function sessionsOf(accountId: string): Promise<{ sessions: number }> {
  const [row] = await site.service.db.query<{ sessions: number }>(
    'select count(*)::int as sessions from sessions where account_id = $1 and revoked_at is null',
    [accountId],
  )
  return row as { sessions: number }
}

describe('a session that is ended elsewhere', () => {
  it('leads to the sign-in at the next step, and from there to where the person was going', async () => {
    const ann = await signUp(client, { name: 'Ann' })
    const visit = await openAs(site, ann, { to: `/c/${ann.company.id}` })
    const { page } = visit
    await page.getByRole('heading', { name: 'Hello, Ann' }).waitFor()
    const elsewhere = await signInByApi(client, ann.email)
    assert.equal((await elsewhere.api.delete('/auth/sessions')).status, 200)

    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await page.getByText('Your session has ended.').waitFor()
    assert.ok(!(await page.content()).includes(ann.email))
    await visit.assertAccessible()
    await signIn(visit, ann.email)
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor()
    assert.equal(new URL(page.url()).pathname, `/c/${ann.company.id}/members`)
    visit.assertClean()
    await visit.close()
  })
})

describe('a connection that is gone', () => {
  it('is said on the page, which goes on by itself when it is back', async () => {
    const ann = await signUp(client, { name: 'Ann' })
    const visit = await openAs(site, ann, { to: '/account', viewport: PHONE })
    const { page } = visit
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
    await page.context().setOffline(true)
    await page.getByText('You’re offline.').waitFor()
    await page.getByLabel('Phone').fill('+351 3')
    await page.getByRole('button', { name: 'Save profile' }).click()
    await page.getByText('We couldn’t reach the service.').waitFor()
    await visit.assertAccessible()

    await page.context().setOffline(false)
    await page.getByText('You’re offline.').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save profile' }).click()
    await page.getByText('Profile saved').waitFor()
    assert.equal((await ann.api.get('/auth/me')).body.data.user.phone, '+351 3')
    visit.assertClean()
    await visit.close()
  })

  it('does not lose the console where a page was never loaded', async () => {
    const ann = await signUp(client, { name: 'Ann' })
    const visit = await openAs(site, ann, { to: '/account' })
    const { page } = visit
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Roles' }).click()
    await page.getByText('This page opens by itself when the connection is back.').waitFor()
    await visit.assertAccessible()
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor()
    await visit.close()
  })
})
