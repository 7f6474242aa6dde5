import type { BrowserContextOptions } from 'playwright-core'
import type { Person } from '../../support/people.ts'
import type { ConsoleUnderTest, Visit } from './console.ts'
import { PASSWORD } from './people.ts'

/** A browser in which someone has signed in by the page, who then opens `to`. */
export async function openAs(
  site: ConsoleUnderTest,
  { email }: Pick<Person, 'email'>,
  { to, ...options }: BrowserContextOptions & { to: string },
): Promise<Visit> {
  const visit = await site.open(options)
  const { page, goto } = visit
  await goto(`/sign-in?to=${encodeURIComponent(to)}`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname === to)
  return visit
}
