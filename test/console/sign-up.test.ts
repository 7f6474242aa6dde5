import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyEmail, PASSWORD, signUp as register } from '../support/people.ts'
import { DESKTOP, PHONE, useConsole } from './support/console.ts'
import { emailTo, linkTo } from './support/emails.ts'
import { headingFocused, signIn, signUp } from './support/people.ts'

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

  it('signs up in the language of the page, and gets emails in it', async () => {
    const visit = await site.open({ locale: 'es-MX', viewport: PHONE })
    const { page } = visit
    await visit.goto('/sign-up')
    const email = anyEmail()
    await page.getByLabel('Tu nombre').fill('Ana')
    await page.getByLabel('Correo electrónico').fill(email)
    await page.getByLabel('Contraseña', { exact: true }).fill(PASSWORD)
    await page.getByLabel('Nombre de la empresa').fill('Molino')
    await page.getByLabel('Identificación fiscal').fill('T-1')
    await page.getByRole('button', { name: 'Crear cuenta' }).click()
    await page.getByRole('heading', { name: 'Hola, Ana' }).waitFor()
    await page.getByRole('button', { name: /Enviar/ }).click()
    assert.match(await emailTo(site, email, 'confirm_email'), /Confirma/)
    visit.assertClean()
    await visit.close()
  })

  it('confirms the address in a browser that is signed in, and goes on from there', async () => {
    const visit = await site.open({ locale: 'pt-BR', viewport: PHONE })
    const { page } = visit
    const ann = await register(site.service.client, { name: 'Ana', locale: 'pt' })
    await visit.goto('/sign-in')
    await page.locator('input[type=email]').fill(ann.email)
    await page.locator('input[type=password]').fill(PASSWORD)
    await page.getByRole('button', { name: 'Entrar', exact: true }).click()
    await headingFocused(visit, 'Olá, Ana')
    await page.getByRole('button', { name: 'Enviar link' }).click()
    await visit.goto(await linkTo(site, ann.email, 'confirm_email'))
    await page.getByRole('button', { name: /^Confirmar/ }).click()
    await headingFocused(visit, 'mail confirmado')
    await visit.assertAccessible()
    await page.getByRole('link', { name: 'Abrir Tenantry' }).click()
    await headingFocused(visit, 'Olá, Ana')
    visit.assertClean()
    await visit.close()
  })
})
