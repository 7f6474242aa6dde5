import { newId } from '../../../src/lib/ids.ts'
import { PASSWORD } from '../../support/people.ts'
import type { Visit } from './console.ts'

/** Signs up by the page, as a person does, and ends at the home of the new company. */
export async function signUp({ page, goto }: Visit, { name = 'Ann Lovelace', company = 'Acme' } = {}): Promise<string> {
  const email = `ann-${newId()}@example.com`
  await goto('/sign-up')
  await page.getByLabel('Your name').fill(name)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Company name').fill(company)
  await page.getByLabel('Tax ID').fill('T-1')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: `Hello, ${name}` }).waitFor()
  return email
}

/** Fills the sign-in page, which is open or about to be. */
export async function signIn({ page }: Pick<Visit, 'page'>, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The heading of the page has the focus, so that a screen reader says where one is. */
export const headingFocused = ({ page }: Pick<Visit, 'page'>, name: string) =>
  page.locator('h1:focus', { hasText: name }).waitFor()
