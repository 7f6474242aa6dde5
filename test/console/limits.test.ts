import assert from 'node:assert/strict'
import { it } from 'node:test'
import { signUp } from '../support/people.ts'
import { PHONE, useConsole } from './support/console.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole({ RATE_LIMIT_ENABLED: 'true' })
const { client } = site.service

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
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Email address or password is incorrect.').waitFor()
  assert.equal(refused, 2)
  visit.assertClean()
  await visit.close()
})
