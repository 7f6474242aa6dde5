import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DESKTOP, PHONE, useConsole } from './support/console.ts'
import { signIn, signUp } from './support/people.ts'

const site = await useConsole()

describe('a person who comes for the first time', () => {
  for (const [name, viewport] of Object.entries({ PHONE, DESKTOP })) {
    it(`signs up, looks around, signs out and in again: ${name}`, async () => {
      const visit = await site.open({ viewport })
      const { page } = visit
      await visit.goto('/')
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await visit.assertAccessible()

      const email = await signUp(visit)
      assert.match(page.url(), /\/c\/[0-9a-f-]{36}$/)
      await visit.assertAccessible()
      if (viewport === PHONE) await page.getByRole('button', { name: 'Open navigation' }).click()
      await page.getByRole('button', { name: /Account menu/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
      await visit.assertAccessible()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()

      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await signIn(visit, email)
      await page.getByRole('heading', { name: 'Hello, Ann Lovelace' }).waitFor()
      visit.assertClean()
      await visit.close()
    })
  }
})
