import type { BrowserContextOptions } from 'playwright-core'
import type { Person } from '../../support/people.ts'
import type { ConsoleUnderTest, Visit } from './console.ts'
import { signIn } from './people.ts'

/** A browser in which someone has signed in by the page, who then opens `to`. */
export async function openAs(
  site: ConsoleUnderTest,
  { email }: Pick<Person, 'email'>,
  { to, ...options }: BrowserContextOptions & { to: string },
): Promise<Visit> {
  const visit = await site.open(options)
  await visit.goto(`/sign-in?to=${encodeURIComponent(to)}`)
  await signIn(visit, email)
  await visit.page.waitForURL((url) => url.pathname === to)
  return visit
}
