import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { signUpVerified } from '../support/factors.ts'
import { createInvitationLink, joinByLink } from '../support/invitations.ts'
import { anyEmail, assertProblem, PASSWORD, signIn as signInByApi, signUp as signUpByApi } from '../support/people.ts'
import { DESKTOP, PHONE, useConsole, type Visit } from './support/console.ts'
import { linkTo } from './support/emails.ts'
import { signIn, signUp } from './support/people.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole()
const NEXT = 'Another-horse-8'

/** A person who has signed up by the API, on a page of the account. */
async function openAccount(path: string, options?: Parameters<typeof site.open>[0]) {
  const person = await signUpByApi(site.service.client, { name: 'Ann Lovelace' })
  const visit = await site.open(options)
  await visit.goto(path)
  await signIn(visit, person.email)
  return { person, visit, page: visit.page }
}

async function finish(visit: Visit): Promise<void> {
  await visit.assertAccessible()
  visit.assertClean()
  await visit.close()
}

describe('the profile', () => {
  for (const [name, viewport] of Object.entries({ PHONE, DESKTOP })) {
    it(`is changed and shown everywhere: ${name}`, async () => {
      const { person, visit, page } = await openAccount('/account', { viewport })
      await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
      await visit.assertAccessible()

      await page.getByLabel('Name', { exact: true }).fill('')
      await page.getByLabel('Picture address').fill('javascript:alert(1)')
      await page.getByRole('button', { name: 'Save profile' }).click()
      await page.getByText('Enter your name.').waitFor()
      await page.getByText('Enter an address that begins with https://.').waitFor()
      assert.equal(await page.evaluate('document.activeElement.name'), 'name')
      await visit.assertAccessible()

      await page.getByLabel('Name', { exact: true }).fill('Ann King')
      await page.getByLabel('Phone').fill('+351 1')
      await page.getByLabel('Picture address').fill('https://example.com/ann.png')
      await page.getByRole('button', { name: 'Save profile' }).click()
      await page.getByText('Profile saved').waitFor()
      if (viewport === PHONE) await page.getByRole('button', { name: 'Open navigation' }).click()
      await page.getByRole('button', { name: /^Ann King/ }).waitFor()

      const { user } = (await person.api.get('/auth/me')).body.data
      assert.deepEqual([user.name, user.phone, user.avatar_url], ['Ann King', '+351 1', 'https://example.com/ann.png'])
      await finish(visit)
    })
  }

  it('keeps what was saved on another device in the meantime', async () => {
    const { person, visit, page } = await openAccount('/account')
    await page.getByLabel('Phone').fill('+351 2')
    assert.equal((await person.api.put('/auth/profile', { position: 'Engineer' })).status, 200)
    await page.getByRole('button', { name: 'Save profile' }).click()
    await page.getByText('Profile saved').waitFor()
    assert.equal(await page.getByLabel('Position').inputValue(), 'Engineer')
    const { user } = (await person.api.get('/auth/me')).body.data
    assert.deepEqual([user.phone, user.position], ['+351 2', 'Engineer'])
    await finish(visit)
  })

  it('speaks the chosen language at once', async () => {
    const { person, visit, page } = await openAccount('/account')
    await page.getByLabel('Language').selectOption('pt')
    await page.getByLabel('Time zone').selectOption('America/Sao_Paulo')
    await page.getByRole('button', { name: 'Save language and time zone' }).click()
    await page.getByRole('heading', { name: 'Perfil', level: 1 }).waitFor()
    assert.equal(await page.evaluate('document.documentElement.lang'), 'pt')
    const { user } = (await person.api.get('/auth/me')).body.data
    assert.deepEqual([user.locale, user.timezone], ['pt', 'America/Sao_Paulo'])
    await page.getByLabel('Idioma').selectOption('Igual ao navegador')
    await page.getByRole('button', { name: 'Salvar idioma e fuso horário' }).click()
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
    await finish(visit)
  })

  it('has the appearance, which stays and is the same in the menu', async () => {
    const { visit, page } = await openAccount('/account')
    await page.getByLabel('Dark').check()
    assert.equal(await page.evaluate('document.documentElement.dataset.scheme'), 'dark')
    await page.getByRole('button', { name: /Account menu/ }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Dark', checked: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.reload()
    assert.equal(await page.getByLabel('Dark').isChecked(), true)
    await finish(visit)
  })
})

describe('the email address', () => {
  it('changes when the link at the new one is opened, and the former one can undo it', async () => {
    const { person, visit, page } = await openAccount('/account', { viewport: PHONE })
    const next = anyEmail()
    await page.getByLabel('New email address').fill(person.email)
    await page.getByRole('button', { name: 'Change email address' }).click()
    await page.getByText('This is already your email address.').waitFor()
    await page.getByLabel('New email address').fill(next)
    await page.getByRole('button', { name: 'Change email address' }).click()
    await page.getByText(`Confirm ${next}`).waitFor()
    await page.getByText(`Until then you sign in with ${person.email}.`).waitFor()
    await visit.assertAccessible()

    const other = await page.context().newPage()
    await other.goto(site.origin + (await linkTo(site, next, 'change_email')))
    await other.getByRole('button', { name: 'Confirm email address' }).click()
    await other.getByRole('heading', { name: 'Email address confirmed' }).waitFor()
    await other.close()
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await page.getByText(`Your email address is now ${next}`).waitFor()
    await finish(visit)

    const former = await site.open()
    await former.goto(await linkTo(site, person.email, 'email_changed'))
    await former.page.getByRole('button', { name: 'Restore email address' }).click()
    await former.page.getByRole('heading', { name: 'Email address restored' }).waitFor()
    await former.close()
  })

  it('stays when the change is cancelled, and refuses that of another account', async () => {
    const taken = await signUpByApi(site.service.client)
    const { person, visit, page } = await openAccount('/account')
    await page.getByLabel('New email address').fill(taken.email)
    await page.getByRole('button', { name: 'Change email address' }).click()
    await page.getByText('An account with this email address already exists.').waitFor()
    const next = anyEmail()
    await page.getByLabel('New email address').fill(next)
    await page.getByRole('button', { name: 'Change email address' }).click()
    await page.getByRole('button', { name: 'Send link again' }).click()
    await page.getByText(`A link is on its way to ${next}`).nth(1).waitFor()
    await page.getByRole('button', { name: 'Cancel change' }).click()
    await page.getByText(`Your email address stays ${person.email}`).waitFor()
    await page.getByLabel('New email address').waitFor()
    assert.equal((await person.api.get('/auth/me')).body.data.user.pending_email, undefined)
    await finish(visit)
  })

  it('shows that a change was cancelled elsewhere', async () => {
    const { person, visit, page } = await openAccount('/account')
    await page.getByLabel('New email address').fill(anyEmail())
    await page.getByRole('button', { name: 'Change email address' }).click()
    await page.getByRole('button', { name: 'Send link again' }).waitFor()
    assert.equal((await person.api.post('/auth/profile/email/cancel', {})).status, 200)
    await page.getByRole('button', { name: 'Send link again' }).click()
    await page.getByLabel('New email address').waitFor()
    await finish(visit)
  })
})

describe('the password', () => {
  it('says that a new one cancels a change of address, before and after', async () => {
    const ann = await signUpByApi(site.service.client)
    const newEmail = anyEmail()
    await ann.api.put('/auth/profile', { email: newEmail })
    const visit = await openAs(site, ann, { to: '/account/security', viewport: PHONE })
    const { page } = visit
    await page.getByText(`Your email address is about to change to ${newEmail}.`).waitFor()
    await visit.assertAccessible()
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByLabel('New password', { exact: true }).fill('Another-horse-8')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText(`The change of your email address to ${newEmail} was canceled.`).waitFor()
    await page.getByText(`Confirmation links for ${ann.email} that we sent before no longer work.`).waitFor()
    await visit.assertAccessible()
    visit.assertClean()
    await visit.close()
  })

  it('is changed by keyboard alone, and ends the other sessions and not this one', async () => {
    const { person, visit, page } = await openAccount('/account/security')
    const elsewhere = await signInByApi(site.service.client, person.email)
    await page.getByLabel('Current password').focus()
    await page.keyboard.type('Wrong-horse-7')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('short')
    await page.keyboard.press('Enter')
    await page.getByText('This password doesn’t meet all the requirements yet.').waitFor()
    assert.equal(await page.evaluate('document.activeElement.name'), 'newPassword')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(NEXT)
    await page.keyboard.press('Enter')
    await page.getByText('Your current password is incorrect.').waitFor()
    await visit.assertAccessible()
    assert.equal(await page.evaluate('document.activeElement.name'), 'currentPassword')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByText('All other devices have been signed out.').waitFor()
    assert.equal(await page.getByLabel('Current password').inputValue(), '')

    assert.equal((await elsewhere.api.get('/auth/me')).status, 401)
    await page.reload()
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
    await signInByApi(site.service.client, person.email, NEXT)
    await finish(visit)
  })

  it('is changed because someone else may have used the account, which ends this session and what was given from it', async () => {
    const { person, visit, page } = await openAccount('/account/security')
    const { token } = await createInvitationLink(person)
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByLabel('New password', { exact: true }).fill(NEXT)
    const compromised = page.getByLabel('Someone else may have used my account')
    await page.getByText('You also sign in here again.').waitFor()
    await compromised.focus()
    await page.keyboard.press('Space')
    assert.equal(await compromised.isChecked(), true)
    await page.getByRole('button', { name: 'Change password' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Password changed').waitFor()
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    assert.equal((await person.api.get('/auth/me')).status, 401)
    const joining = await joinByLink(await signUpVerified(site.service), token)
    assertProblem(joining, 422, 'invitation_no_longer_valid')
    await signInByApi(site.service.client, person.email, NEXT)
    await finish(visit)
  })
})

describe('the sessions', () => {
  for (const [name, viewport] of Object.entries({ PHONE, DESKTOP })) {
    it(`are listed with this one marked, and ended one by one or all at once: ${name}`, async () => {
      const visit = await site.open({ viewport })
      const email = await signUp(visit)
      const others = [
        await signInByApi(site.service.client, email),
        await signInByApi(site.service.client, email),
        await signInByApi(site.service.client, email),
      ]
      const { page } = visit
      await visit.goto('/account/sessions')
      const list = page.getByRole('list', { name: 'Your sessions' })
      await list.getByRole('listitem').nth(3).waitFor()
      await list.getByRole('listitem').first().getByText('This device').waitFor()
      assert.equal(await list.getByRole('button').count(), 3)
      await visit.assertAccessible()

      await list.getByRole('button').first().click()
      const dialog = page.getByRole('dialog', { name: 'End this session?' })
      await dialog.waitFor()
      await visit.assertAccessible()
      await dialog.getByRole('button', { name: 'End session' }).click()
      await page.getByText('Session ended').waitFor()
      await list.getByRole('listitem').nth(3).waitFor({ state: 'detached' })

      await page.getByRole('button', { name: 'End all other sessions' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'End all other sessions' }).click()
      await page.getByText('2 sessions ended').waitFor()
      await page.getByText('You’re not signed in anywhere else.').waitFor()
      for (const { api } of others) assert.equal((await api.get('/auth/me')).status, 401)
      await finish(visit)
    })
  }

  it('say so when one was ended elsewhere already', async () => {
    const { person, visit, page } = await openAccount('/account/sessions')
    const list = page.getByRole('list', { name: 'Your sessions' })
    await list.getByRole('button').waitFor()
    assert.equal((await person.api.post('/auth/logout', { refreshToken: person.refreshToken })).status, 200)
    await list.getByRole('button').click()
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
    await page.getByText('You’re not signed in anywhere else.').waitFor()
    await finish(visit)
  })

  it('are a page that says what went wrong, and tries again', async () => {
    const { visit, page } = await openAccount('/account')
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
    await page.route('**/api/auth/sessions?*', (route) => route.fulfill({ status: 404, json: { code: 'not_found' } }))
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.getByText('This couldn’t be loaded').waitFor()
    await visit.assertAccessible()
    await page.unroute('**/api/auth/sessions?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('list', { name: 'Your sessions' }).waitFor()
    await finish(visit)
  })
})
