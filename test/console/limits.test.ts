import assert from 'node:assert/strict'
import { it } from 'node:test'
import { PASSWORD, signUp } from '../support/people.ts'
import { PHONE, useConsole } from './support/console.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole({ RATE_LIMIT_ENABLED: 'true' })
const { client } = site.service
const calm = await useConsole()

it('says calmly that there were too many requests, and keeps the page', async () => {
  const ann = await signUp(client, { name: 'Ann' })
  const visit = await openAs(site, ann, { to: '/account', viewport: PHONE })
  const { page } = visit
  await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
  let status = 200
  while (status !== 429) ({ status } = await ann.api.get('/auth/me'))

  await page.getByLabel('Phone').fill('+351 4')
  await page.getByRole('button', { name: 'Save profile' }).click()
  await page.getByText(/^Too many requests\. Loading continues in/).waitFor()
  await page.getByText(/^Too many requests\. You can try again in/).waitFor()
  await page.getByRole('button', { name: /^Wait \d+ second/ }).waitFor()
  assert.equal(await page.getByLabel('Phone').inputValue(), '+351 4')
  await visit.assertAccessible()
  visit.assertClean()
  await visit.close()
})

it('goes on by itself as soon as it may', async () => {
  const visit = await site.open()
  const { page } = visit
  let refused = 0
  await page.route('**/api/auth/login', (route) => {
    if (refused++ > 0) return route.fulfill({ status: 401, json: { statusCode: 401, code: 'credentials_wrong' } })
    return route.fulfill({
      status: 429,
      headers: { 'retry-after': '1' },
      json: { statusCode: 429, code: 'rate_limited' },
    })
  })
  await visit.goto('/sign-in')
  await page.getByLabel('Email address').fill('ann@example.com')
  await page.getByLabel('Password', { exact: true }).fill('Correct-horse-7')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('Email address or password is incorrect.').waitFor()
  assert.equal(refused, 2)
  visit.assertClean()
  await visit.close()
})

it('tells other limits where they are met, and a long wait in minutes', async () => {
  const ann = await signUp(calm.service.client, { name: 'Ann' })
  const visit = await openAs(calm, ann, { to: '/account/security', viewport: PHONE })
  const { page } = visit
  await page.route('**/api/auth/change-password', (route) =>
    route.fulfill({
      status: 429,
      headers: { 'retry-after': '3590' },
      json: { statusCode: 429, code: 'too_many_attempts' },
    }),
  )
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByLabel('New password', { exact: true }).fill('Another-horse-8')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Too many failed attempts. You can try again in 60 minutes.').waitFor()
  await page.getByRole('button', { name: 'Wait 60 minutes' }).waitFor()
  assert.equal(await page.getByText('Too many requests').count(), 0)
  await visit.assertAccessible()
  visit.assertClean()
  await visit.close()
})

const PLACES = { refresh: 'the exchange of the tokens', me: 'who is signed in', roles: 'its own call' }

/** Longer than the client waits by itself, and as long as it does. */
for (const seconds of [45, 8])
  for (const [path, place] of Object.entries(PLACES))
    it(`opens a page by itself that was refused for ${seconds} seconds at ${place}`, async () => {
      const ann = await signUp(calm.service.client, { name: 'Ann' })
      const visit = await openAs(calm, ann, { to: `/c/${ann.company.id}/roles`, viewport: PHONE })
      const { page } = visit
      await page.getByText('Manager', { exact: true }).first().waitFor()
      await page.clock.install()
      let asked = 0
      const headers = { 'retry-after': String(seconds) }
      await page.route(
        ({ pathname }) => pathname.startsWith('/api/') && pathname.endsWith(path),
        (route) =>
          asked++ === 0
            ? route.fulfill({ status: 429, headers, json: { statusCode: 429, code: 'rate_limited' } })
            : route.continue(),
      )
      await page.reload()
      await page.getByText(/^Too many requests\. Loading continues in \d+ second/).waitFor()
      await page.getByRole('heading', { name: path === 'roles' ? 'Roles' : 'Just a moment', level: 1 }).waitFor()
      await visit.assertAccessible()
      await page.clock.fastForward((seconds + 3) * 1000)
      await page.getByText('Manager', { exact: true }).first().waitFor()
      assert.equal(asked, 2)
      visit.assertClean()
      await visit.close()
    })
