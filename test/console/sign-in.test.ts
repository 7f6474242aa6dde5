import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newId } from '../../src/lib/ids.ts'
import { addApp } from '../support/factors.ts'
import { addMember, join } from '../support/members.ts'
import { PASSWORD, type Person, signIn as signInByApi, signUp as signUpByApi } from '../support/people.ts'
import { DESKTOP, PHONE, useConsole } from './support/console.ts'
import { linkTo, passwordTo } from './support/emails.ts'
import { signIn, signUp } from './support/people.ts'

const site = await useConsole()
const NEXT = 'Another-horse-8'

describe('a person who signs in', () => {
  it('sees all of the page on the narrowest phone, also in the language with the longest words', async () => {
    const visit = await site.open({ locale: 'es', viewport: { width: 320, height: 700 } })
    await visit.goto('/sign-in')
    await visit.page.getByRole('button', { name: 'Iniciar sesión con una llave de acceso' }).waitFor()
    assert.equal(await visit.page.evaluate('document.documentElement.scrollWidth'), 320)
    await visit.assertAccessible()
    visit.assertClean()
    await visit.close()
  })

  it('is told what is wrong, at the field or above the button', async () => {
    const visit = await site.open({ viewport: PHONE })
    const { page } = visit
    await visit.goto('/sign-in')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Enter an email address like ann@example.com.').waitFor()
    assert.equal(await page.evaluate('document.activeElement.name'), 'email')
    await signIn(visit, 'unknown@example.com')
    await page.getByText('Email address or password is incorrect.').waitFor()
    await visit.assertAccessible()
    visit.assertClean()
    await visit.close()
  })

  it('is led to the page that was asked for, and to no other site', async () => {
    const person = await signUpByApi(site.service.client)
    const visit = await site.open()
    await visit.goto(`/c/${person.company.id}/members`)
    await signIn(visit, person.email)
    await visit.page.getByRole('heading', { name: 'Members', level: 1 }).waitFor()
    assert.equal(new URL(visit.page.url()).pathname, `/c/${person.company.id}/members`)
    await visit.close()

    for (const to of [
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      'javascript:alert(1)',
    ]) {
      const other = await site.open()
      await other.goto(`/sign-in?to=${encodeURIComponent(to)}`)
      await signIn(other, person.email)
      await other.page.getByRole('heading', { name: /^Hello/ }).waitFor()
      assert.equal(new URL(other.page.url()).origin, site.origin)
      await other.close()
    }
  })

  it('is led by an email to the company that it concerns, where they are a member', async () => {
    const ann = await signUpByApi(site.service.client, { name: 'Ann' })
    const bob = await signUpByApi(site.service.client)
    await join(bob, ann)
    const address = await linkTo(site, ann.email, 'added_to_company')

    for (const viewport of [PHONE, DESKTOP]) {
      const visit = await site.open({ viewport })
      const { page, goto } = visit
      const isAt = async ({ company }: Person) => {
        await page.waitForURL((url) => url.pathname === `/c/${company.id}`)
        await page.getByRole('heading', { name: /^Hello/ }).waitFor()
      }
      await goto(address)
      await signIn(visit, ann.email)
      await isAt(bob)
      await goto(`/?company=${ann.company.id}`)
      await isAt(ann)
      await goto(address)
      await isAt(bob)
      await goto(`/?company=${newId()}`)
      await isAt(bob)
      visit.assertClean()
      await visit.close()
    }
  })

  it('comes back to the same page when the session has ended elsewhere', async () => {
    const visit = await site.open()
    const email = await signUp(visit)
    const { pathname } = new URL(visit.page.url())
    const elsewhere = await signInByApi(site.service.client, email)
    assert.equal((await elsewhere.api.delete('/auth/sessions')).status, 200)

    await visit.page.reload()
    await visit.page.getByText('Your session has ended.').waitFor()
    await visit.assertAccessible()
    await signIn(visit, email)
    await visit.page.getByRole('heading', { name: 'Hello, Ann Lovelace' }).waitFor()
    assert.equal(new URL(visit.page.url()).pathname, pathname)
    await visit.close()
  })

  it('chooses an own password first, after a temporary one', async () => {
    const owner = await signUpByApi(site.service.client)
    const { email } = await addMember(owner)
    const temporary = await passwordTo(site, email, 'temporary_password')
    const visit = await site.open()
    const { page } = visit
    await visit.goto('/sign-in')
    await signIn(visit, email, temporary)
    await page.getByRole('heading', { name: 'Choose your own password' }).waitFor()
    await visit.assertAccessible()
    assert.equal(await page.getByLabel('Temporary password').count(), 0)
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByRole('heading', { name: `${owner.company.name} added you` }).waitFor()
    visit.assertClean()
    await visit.close()
  })

  it('goes on in other tabs once one of them has chosen a password', async () => {
    const owner = await signUpByApi(site.service.client)
    const { email } = await addMember(owner)
    const temporary = await passwordTo(site, email, 'temporary_password')
    const visit = await site.open()
    const { page } = visit
    await visit.goto('/sign-in')
    await signIn(visit, email, temporary)
    await page.getByRole('heading', { name: 'Choose your own password' }).waitFor()
    const other = await page.context().newPage()
    const away = '**/api/auth/me'
    await other.route(away, (route) => route.abort())
    await other.goto(`${site.origin}/change-password`)
    await other.getByText('We couldn’t reach the service.').waitFor()
    await other.unroute(away)
    await other.getByRole('button', { name: 'Try again' }).click()
    await other.getByRole('heading', { name: 'Choose your own password' }).waitFor()

    const added = { name: `${owner.company.name} added you` }
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByRole('heading', added).waitFor()
    await other.getByLabel('Temporary password').fill(temporary)
    await other.getByLabel('New password').fill(`Other-${PASSWORD}`)
    await other.getByRole('button', { name: 'Save password' }).click()
    await other.getByText('This password was already replaced.').waitFor()
    await other.getByRole('heading', added).waitFor()
    visit.assertClean()
    await visit.close()
  })
})

describe('an account with a second factor', () => {
  for (const [name, viewport] of Object.entries({ PHONE, DESKTOP }))
    it(`is opened by a code of its app, or by a recovery code: ${name}`, async () => {
      const ann = await signUpByApi(site.service.client, { name: 'Ann Lovelace' })
      const app = await addApp(site.service, ann)
      const visit = await site.open({ viewport })
      const { page } = visit
      const submit = page.getByRole('button', { name: 'Sign in', exact: true })
      const code = page.getByLabel('Code', { exact: true })
      await visit.goto(`/sign-in?to=${encodeURIComponent(`/c/${ann.company.id}/settings`)}`)
      await signIn(visit, ann.email)
      await page.getByRole('heading', { name: 'Confirm that it’s you' }).waitFor()
      await submit.click()
      await page.getByText('Enter the six digits from your app.').waitFor()
      await code.fill('000000')
      await page.keyboard.press('Enter')
      await page.getByText('This code isn’t right').waitFor()
      await visit.assertAccessible()
      await code.fill(await app.unusedCode())
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => url.pathname === `/c/${ann.company.id}/settings`)

      const other = await site.open({ viewport })
      await other.goto('/sign-in')
      await signIn(other, ann.email)
      await other.page.getByRole('button', { name: 'Use a recovery code' }).click()
      await other.page.getByLabel('Recovery code').fill(app.recoveryCodes[0] ?? '')
      await other.assertAccessible()
      await other.page.keyboard.press('Enter')
      await other.page.getByRole('heading', { name: 'Hello, Ann Lovelace' }).waitFor()
      for (const each of [visit, other]) {
        each.assertClean()
        await each.close()
      }
    })
})

describe('a temporary password', () => {
  it('is asked for again after a reload, and when it is refused', async () => {
    const owner = await signUpByApi(site.service.client)
    const { id, email } = await addMember(owner)
    const temporary = await passwordTo(site, email, 'temporary_password')
    const visit = await site.open({ viewport: PHONE })
    const { page } = visit
    await visit.goto('/sign-in')
    await signIn(visit, email, temporary)
    const submit = page.getByRole('button', { name: 'Save password' })
    await submit.waitFor()
    await site.service.db.query(`update passwords set expires_at = now() where account_id = $1`, [id])
    await page.getByLabel('New password').fill(NEXT)
    await submit.click()
    await page.getByText('Your current password is incorrect.').waitFor()
    await page.getByLabel('Temporary password').waitFor()
    await visit.assertAccessible()

    // One that can't be used any more ends the session with the next refresh.
    await site.service.db.query(`update passwords set expires_at = now() + interval '1 hour' where account_id = $1`, [
      id,
    ])
    await page.reload()
    await page.getByLabel('Temporary password').waitFor()
    visit.assertClean()
    await visit.close()
  })
})

describe('the pages behind links in emails', () => {
  it('reset a password, with the token out of the address', async () => {
    const { email } = await signUpByApi(site.service.client)
    const visit = await site.open({ viewport: PHONE })
    const { page } = visit
    await visit.goto('/reset-password')
    await page.getByLabel('Email address').fill(email)
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor()

    await visit.goto(await linkTo(site, email, 'reset_password'))
    await page.getByLabel('New password').fill(NEXT)
    await visit.assertAccessible()
    assert.doesNotMatch(page.url(), /token/)
    await page.getByLabel('Someone else may have used my account').check()
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByRole('heading', { name: 'Password changed' }).waitFor()
    const [account] = await site.service.db.query('select vouches_from from accounts where email = $1', [email])
    assert.ok(account?.vouches_from)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(visit, email, NEXT)
    await page.getByRole('heading', { name: /^Hello/ }).waitFor()
    visit.assertClean()
    await visit.close()
  })

  it('confirm an address by the button alone', async () => {
    const { email } = await signUpByApi(site.service.client)
    await site.service.client.post('/auth/verify-email/resend', { email })
    const link = await linkTo(site, email, 'confirm_email')
    const visit = await site.open({ locale: 'en-US' })
    const { page } = visit
    await visit.goto(link)
    await page.getByRole('button', { name: 'Confirm email address' }).click()
    await page.getByRole('heading', { name: 'Email address confirmed' }).waitFor()
    await visit.goto(link)
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
    await visit.assertAccessible()
    visit.assertClean()
    await visit.close()
  })

  it('speak the language of the email, and that of the browser without one', async () => {
    const visit = await site.open({ locale: 'pt-BR' })
    await visit.goto('/reset-password?lang=es')
    await visit.page.getByRole('heading', { name: 'Restablece tu contraseña' }).waitFor()
    await visit.goto('/sign-in')
    await visit.page.getByRole('heading', { name: 'Entrar' }).waitFor()
    assert.equal(await visit.page.evaluate('document.documentElement.lang'), 'pt')
    await visit.close()
  })
})
