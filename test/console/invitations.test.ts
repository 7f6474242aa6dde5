import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createBranch } from '../support/branches.ts'
import { accept, invite } from '../support/invitations.ts'
import { join } from '../support/members.ts'
import { anyEmail, PASSWORD, type Person, signIn as signInTo, signUp } from '../support/people.ts'
import { until } from '../support/until.ts'
import { DESKTOP, PHONE, useConsole, type Visit } from './support/console.ts'
import { codeTo, linkTo } from './support/emails.ts'
import { headingFocused, signIn } from './support/people.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole()
const { client } = site.service

const invitationLink = ({ email }: { email: string }) => linkTo(site, email, 'invitation')
const heading = ({ page }: Visit, name: string | RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor()

/** With the role Manager in a branch, a verified address, and no company of its own. */
async function assertJoined(ann: Person, { email }: { email: string }, branch: { id: string }, locale = 'en') {
  const [member] = (await ann.api.get(`/companies/users?search=${email}`)).body.data
  assert.deepEqual([member.roles, member.branchIds, member.status], [['Manager'], [branch.id], 'active'])
  const { user, tenants } = (await (await signInTo(client, email)).api.get('/auth/me')).body.data
  assert.deepEqual([user.email_verified, user.locale], [true, locale])
  assert.deepEqual(
    tenants.map(({ id }: { id: string }) => id),
    [ann.company.id],
  )
}

const membersOf = async ({ api }: Person) =>
  (await api.get('/companies/users')).body.data as { email: string; roles: string[] }[]

/** Nothing is wider than a phone. */
async function assertFits({ page }: Visit) {
  const width = await page.evaluate('document.documentElement.scrollWidth')
  assert.ok(Number(width) <= PHONE.width, `${width}`)
}

describe('the link in an invitation', () => {
  it('brings in a person without an account, on a phone, by keyboard alone', async () => {
    const ann = await signUp(client, { name: 'Ann Lovelace', companyName: 'Acme Mill 2' })
    const branch = await createBranch(ann)
    const invited = await invite(ann, { roles: ['Manager'], branchIds: [branch.id] })
    const visit = await site.open({ viewport: PHONE })
    const { page } = visit
    await visit.goto(await invitationLink(invited))
    await heading(visit, 'You’re invited')
    await page.getByText('Ann Lovelace invited you to join Acme Mill 2.').waitFor()
    await page.getByText(`Its address will be ${invited.email}.`).waitFor()
    assert.equal(new URL(page.url()).searchParams.has('token'), false)
    await visit.assertAccessible()
    await assertFits(visit)

    await page.getByLabel('Your name').focus()
    await page.keyboard.press('Enter')
    await page.getByText('Enter your name.').waitFor()
    await page.keyboard.type('Bob Byron')
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await heading(visit, 'Hello, Bob Byron')
    await page.getByText('You’re now a member of Acme Mill 2.').waitFor()
    await assertJoined(ann, invited, branch)
    visit.assertClean()
    await visit.close()
  })

  const otherLanguages = {
    es: {
      title: 'Tienes una invitación',
      name: 'Tu nombre',
      password: 'Contraseña',
      submit: 'Crear cuenta y aceptar',
      hello: 'Hola, Zoë',
      joined: 'Ahora eres miembro de la empresa Acme Mill es.',
    },
    pt: {
      title: 'Você recebeu um convite',
      name: 'Seu nome',
      password: 'Senha',
      submit: 'Criar conta e aceitar',
      hello: 'Olá, Zoë',
      joined: 'Agora você é membro da empresa Acme Mill pt.',
    },
  }
  for (const [locale, texts] of Object.entries(otherLanguages))
    it(`brings in a person without an account in the language of the invitation, whatever the browser speaks: ${locale}`, async () => {
      const ann = await signUp(client, { companyName: `Acme Mill ${locale}` })
      const branch = await createBranch(ann)
      const invited = await invite(ann, { locale, roles: ['Manager'], branchIds: [branch.id] })
      const visit = await site.open({ viewport: PHONE })
      const { page } = visit
      await visit.goto(await invitationLink(invited))
      await heading(visit, texts.title)
      await visit.assertAccessible()
      await page.getByLabel(texts.name).fill('Zoë')
      await page.getByLabel(texts.password, { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: texts.submit }).click()
      await heading(visit, texts.hello)
      await page.getByText(texts.joined).waitFor()
      await assertJoined(ann, invited, branch, locale)
      visit.assertClean()
      await visit.close()
    })

  it('leads a person with an account through the sign-in, and back', async () => {
    const [ann, bob] = [await signUp(client, { companyName: 'Acme Mill 3' }), await signUp(client)]
    const invited = await invite(ann, { email: bob.email })
    const visit = await site.open({ viewport: PHONE })
    const { page } = visit
    await visit.goto(await invitationLink(invited))
    await page.getByRole('link', { name: 'Sign in to accept' }).click()
    // The sign-in knows the address already.
    await page.locator('input[type=password]:focus').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByText(`You join with your account ${bob.email}.`).waitFor()
    await visit.assertAccessible()
    await page.getByRole('button', { name: 'Accept invitation' }).click()
    await page.getByText('You’re now a member of Acme Mill 3.').waitFor()
    await page.waitForURL(`**/c/${ann.company.id}`)
    visit.assertClean()
    await visit.close()
  })

  it('is taken for no link to a new password, on the way to one', async () => {
    const [ann, bob] = [await signUp(client), await signUp(client)]
    const visit = await site.open()
    const { page } = visit
    await visit.goto(await invitationLink(await invite(ann, { email: bob.email })))
    await page.getByRole('link', { name: 'Sign in to accept' }).click()
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await heading(visit, 'Reset your password')
    await page.getByLabel('Email address').waitFor()

    await page.goBack()
    await page.goBack()
    await page.getByRole('link', { name: 'Sign in to accept' }).waitFor()
    visit.assertClean()
    await visit.close()
  })

  it('is of no use to someone else who is signed in, until that person signs out', async () => {
    const [ann, eve, bob] = [await signUp(client), await signUp(client), await signUp(client)]
    const invited = await invite(ann, { email: bob.email })
    const visit = await openAs(site, eve, { to: '/account' })
    const { page } = visit
    await visit.goto(await invitationLink(invited))
    await heading(visit, 'This invitation is for someone else')
    await page.getByText(`You’re signed in as ${eve.email}`).waitFor()
    await visit.assertAccessible()
    await page.getByRole('button', { name: 'Sign out and continue' }).click()
    await page.getByRole('link', { name: 'Sign in to accept' }).click()
    assert.equal((await membersOf(ann)).length, 1)
    assert.equal((await ann.api.get(invited.path)).body.data.status, 'pending')
    await signIn(visit, bob.email)
    await page.getByRole('button', { name: 'Accept invitation' }).click()
    await page.waitForURL(`**/c/${ann.company.id}`)
    const members = (await membersOf(ann)).map(({ email }) => email)
    assert.deepEqual(members.sort(), [ann.email, bob.email].sort())
    visit.assertClean()
    await visit.close()
  })

  it('has nothing to accept any more while the company of a new account is loading', async () => {
    const ann = await signUp(client, { companyName: 'Acme Mill 4' })
    const invited = await invite(ann)
    const visit = await site.open({ viewport: PHONE })
    const { page } = visit
    await visit.goto(await invitationLink(invited))
    await page.getByLabel('Your name').fill('Bob')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.evaluate(`new MutationObserver(() => {
      if (document.body.innerText.includes('Accept invitation')) window.wasOffered = true
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`)
    await page.getByRole('button', { name: 'Create account and join' }).click()
    await heading(visit, 'Hello, Bob')
    assert.equal(await page.evaluate('window.wasOffered'), undefined)
    visit.assertClean()
    await visit.close()
  })

  it('declines after a question, and then says that it works no more', async () => {
    const ann = await signUp(client)
    const invited = await invite(ann)
    const link = await invitationLink(invited)
    const visit = await site.open({ viewport: PHONE })
    const { page } = visit
    await visit.goto(link)
    await page.getByRole('button', { name: 'Decline invitation' }).click()
    await visit.assertAccessible()
    await page.getByRole('dialog').getByRole('button', { name: 'Decline invitation' }).click()
    await heading(visit, 'Invitation declined')
    assert.equal((await ann.api.get(invited.path)).body.data.status, 'declined')
    await visit.goto(link)
    await heading(visit, 'This link no longer works')
    await page.getByRole('link', { name: 'Open Tenantry' }).waitFor()
    await visit.goto('/invitation')
    await heading(visit, 'This link is incomplete')
    await visit.assertAccessible()
    visit.assertClean()
    await visit.close()
  })

  it('says so when the company has canceled it while the page was open', async () => {
    const ann = await signUp(client)
    const invited = await invite(ann)
    const visit = await site.open()
    const { page } = visit
    await visit.goto(await invitationLink(invited))
    await page.getByLabel('Your name').fill('Bob')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await ann.api.delete(invited.path)
    await page.getByRole('button', { name: 'Create account and join' }).click()
    await heading(visit, 'This link no longer works')
    visit.assertClean()
    await visit.close()
  })
})

describe('invitations to a person who is signed in', () => {
  it('stand in the list of their own, to accept and to decline', async () => {
    const [ann, carl] = [
      await signUp(client, { companyName: 'Acme Mill 7' }),
      await signUp(client, { companyName: 'Corner Shop 7' }),
    ]
    const bob = await signUp(client, { name: 'Bob', companyName: 'Bobs own 7' })
    await proveAddress(bob)
    await invite(ann, { email: bob.email })
    const declined = await invite(carl, { email: bob.email })
    const visit = await openAs(site, bob, { to: `/c/${bob.company.id}`, viewport: PHONE })
    const { page } = visit
    await join(bob, await signUp(client))
    await page.reload()
    // Also for those who add members to a company with others.
    await page.getByText('2 companies invited you').waitFor()
    await page.getByRole('link', { name: 'View invitations' }).click()
    await heading(visit, 'Invitations and joining')
    await visit.assertAccessible()
    await assertFits(visit)
    await page.getByRole('button', { name: 'Decline the invitation from Corner Shop 7' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Decline invitation' }).click()
    const dialog = page.getByRole('dialog', { name: 'Check your inbox' })
    await dialog.getByLabel('Code from the email').fill('00000000')
    await page.keyboard.press('Enter')
    await dialog.getByText('This code isn’t right').waitFor()
    await visit.assertAccessible()
    await dialog.getByLabel('Code from the email').fill(await codeTo(site, bob.email))
    await page.keyboard.press('Enter')
    await page.getByText('Invitation declined.').waitFor()
    await page.getByRole('button', { name: 'Accept the invitation from Acme Mill 7' }).click()
    await page.waitForURL(`**/c/${ann.company.id}`)
    assert.equal((await carl.api.get(declined.path)).body.data.status, 'declined')
    assert.equal((await membersOf(ann)).length, 2)
    visit.assertClean()
    await visit.close()
  })
})

describe('a link that a company hands out', () => {
  it('lets a person join who signs in on the way, with a code from the mailbox', async () => {
    const ann = await signUp(client, { companyName: 'Acme Mill 8' })
    const bob = await signUp(client)
    const { token } = (await ann.api.post('/companies/invitation-links', { maxUses: 1 })).body.data
    const visit = await site.open({ viewport: PHONE })
    const { page } = visit
    await visit.goto(`/join?token=${token}`)
    await heading(visit, 'Join a company')
    await visit.assertAccessible()
    await page.getByRole('link', { name: 'Sign in to join' }).click()
    await signIn(visit, bob.email)
    await page.getByText(`You join Acme Mill 8 with your account ${bob.email}.`).waitFor()
    await page.getByRole('button', { name: 'Join company' }).click()
    const dialog = page.getByRole('dialog', { name: 'Check your inbox' })
    const first = await codeTo(site, bob.email)
    await dialog.getByRole('button', { name: 'Send another code' }).click()
    await page.getByText('Another code is on its way.').waitFor()
    await dialog.getByLabel('Code from the email').fill(first)
    await page.keyboard.press('Enter')
    await dialog.getByText('Take it from the newest email.').waitFor()
    await visit.assertAccessible()
    let second = first
    await until(async () => {
      second = await codeTo(site, bob.email)
      return second !== first
    })
    await dialog.getByLabel('Code from the email').fill(second)
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    await page.waitForURL(`**/c/${ann.company.id}`)
    await visit.goto(`/join?token=${token}`)
    await page.getByRole('button', { name: 'Join company' }).click()
    await page.waitForURL(`**/c/${ann.company.id}`)
    assert.equal((await membersOf(ann)).length, 2)
    visit.assertClean()
    await visit.close()
  })
})

describe('a link that a company hands out, for people without an account', () => {
  it('names the company before they sign up, and asks for the mailbox once', async () => {
    const ann = await signUp(client, { companyName: 'Padaria Estrela' })
    const { token } = (await ann.api.post('/companies/invitation-links', { maxUses: 1 })).body.data
    const visit = await site.open({ viewport: PHONE, locale: 'pt-BR' })
    const { page } = visit
    await visit.goto(`/join?token=${token}`)
    await page.getByText('Com este link você pode participar da empresa Padaria Estrela.').waitFor()
    await visit.assertAccessible()
    await page.getByRole('link', { name: 'Criar uma conta' }).click()
    await page.getByText('Depois desta etapa, você participa da empresa Padaria Estrela.').waitFor()
    await assertFits(visit)
    const email = anyEmail()
    for (const [name, value] of Object.entries({ name: 'Davi', email, companyName: 'Teles', taxId: 'T-1' }))
      await page.locator(`input[name=${name}]`).fill(value)
    await page.locator('input[type=password]').fill(PASSWORD)
    await page.getByRole('button', { name: 'Criar conta' }).click()
    await page.getByRole('button', { name: 'Participar da empresa' }).click()
    await page.locator('input[name=code]').fill(await codeTo(site, email))
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/c/${ann.company.id}`)
    await headingFocused(visit, 'Olá, Davi')
    visit.assertClean()
    await visit.close()
  })

  it('says at once that it leads nowhere any more', async () => {
    const visit = await site.open()
    await visit.goto('/join?token=anything')
    await heading(visit, 'This link no longer works')
    await visit.assertAccessible()
    visit.assertClean()
    await visit.close()
  })
})

it('offers to sign up only where people may', async () => {
  const invited = await useConsole({ SIGN_UP: 'closed' })
  const visit = await invited.open({ viewport: DESKTOP })
  const { page } = visit
  await visit.goto('/sign-up')
  await page.waitForURL('**/sign-in')
  await heading(visit, 'Sign in')
  assert.equal(await page.getByRole('link', { name: 'Create account' }).count(), 0)
  await page.route('**/api/auth/invitation-links/preview', (route) =>
    route.fulfill({ json: { success: true, data: { company: { name: 'Acme Mill' } } } }),
  )
  await visit.goto('/join?token=anything')
  await page.getByRole('link', { name: 'Sign in to join' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Create account' }).count(), 0)
  visit.assertClean()
  await visit.close()
})

/** By an invitation of another company, whose link does it. */
async function proveAddress(person: Person): Promise<void> {
  const host = await signUp(client, { name: 'Host' })
  const invited = await invite(host, { email: person.email })
  const token = new URLSearchParams((await invitationLink(invited)).split('?')[1]).get('token') ?? ''
  assert.equal((await accept(person, token)).status, 200)
}
