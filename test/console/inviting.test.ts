import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { invite } from '../support/invitations.ts'
import { createRole, join } from '../support/members.ts'
import { anyEmail, type Person, signUp } from '../support/people.ts'
import { PHONE, useConsole } from './support/console.ts'
import { emailTo } from './support/emails.ts'
import { openAs } from './support/sign-in.ts'

const site = await useConsole()
const { client } = site.service

const invitationsOf = ({ company }: Person) => `/c/${company.id}/members/invitations`

describe('inviting', () => {
  it('sends an invitation by email from the list of members, in another language', async () => {
    const ann = await signUp(client)
    const email = anyEmail()
    const visit = await openAs(site, ann, { to: `/c/${ann.company.id}/members`, viewport: PHONE })
    const { page } = visit
    await page.getByRole('button', { name: 'Invite by email' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite by email' })
    // The button moves down when the roles have come.
    await dialog.getByLabel('Manager').waitFor()
    await dialog.getByRole('button', { name: 'Send invitation' }).click()
    await dialog.getByText('Enter an email address like').waitFor()
    await visit.assertAccessible()
    await dialog.getByLabel('Email address').fill(email)
    await dialog.getByLabel('Name', { exact: false }).first().fill('Bob')
    await dialog.getByLabel('Manager').check()
    await dialog.getByLabel('Language of the email').selectOption('pt')
    await dialog.getByLabel('Valid for').selectOption('30')
    await page.keyboard.press('Enter')
    await page.getByText(`Invitation sent to ${email}.`).waitFor()
    await page.getByRole('link', { name: 'Invitations', exact: true }).click()
    await page.getByText(email).first().waitFor()
    await visit.assertAccessible()
    assert.match(await emailTo(site, email, 'invitation'), /convidou/)
    const [sent] = (await ann.api.get('/companies/invitations')).body.data
    assert.deepEqual(sent.roles.map(({ name }: { name: string }) => name).sort(), ['Manager', 'Member'])
    assert.ok(Date.parse(sent.expires_at) > Date.now() + 29 * 24 * 60 * 60 * 1000)

    await page.getByRole('link', { name: 'Members', exact: true }).last().click()
    await page.getByRole('button', { name: 'Invite by email' }).click()
    await dialog.getByLabel('Email address').fill(email)
    await page.keyboard.press('Enter')
    await dialog.getByText('This address already has a pending invitation.').waitFor()
    visit.assertClean()
    await visit.close()
  })

  it('sends an invitation again, cancels it, and invites anew', async () => {
    const ann = await signUp(client)
    const { email, path } = await invite(ann)
    const visit = await openAs(site, ann, { to: invitationsOf(ann) })
    const { page } = visit
    const choose = async (item: string) => {
      await page.getByRole('button', { name: `Actions for ${email}` }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await choose('Edit')
    const edit = page.getByRole('dialog', { name: `Edit the invitation to ${email}` })
    await edit.getByLabel('Manager').check()
    await edit.getByLabel('Valid').selectOption('30')
    await visit.assertAccessible()
    await edit.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Invitation saved.').waitFor()
    const { roles, expires_at } = (await ann.api.get(path)).body.data
    assert.deepEqual(roles.map(({ name }: { name: string }) => name).sort(), ['Manager', 'Member'])
    assert.ok(Date.parse(expires_at) > Date.now() + 29 * 24 * 60 * 60 * 1000)
    await choose('Send again')
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
    await page.getByText(`Invitation sent again to ${email}.`).waitFor()
    assert.equal((await ann.api.get(path)).body.data.resent, 1)
    await choose('Cancel invitation')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel invitation' }).click()
    await page.getByText('No pending invitations').waitFor()
    await page.getByLabel('Status').selectOption('revoked')
    await choose('Invite again')
    await page.getByRole('dialog').getByRole('button', { name: 'Send invitation' }).click()
    await page.getByText(`Invitation sent to ${email}.`).waitFor()
    const all = (await ann.api.get('/companies/invitations?sortBy=created_at')).body.data
    assert.deepEqual(all.map(({ status }: { status: string }) => status).sort(), ['pending', 'revoked'])
    visit.assertClean()
    await visit.close()
  })

  it('shows a link once, with its quota, and cancels it', async () => {
    const ann = await signUp(client)
    const visit = await openAs(site, ann, {
      to: invitationsOf(ann),
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const { page } = visit
    await page.getByRole('button', { name: 'Create link' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('How many people').fill('0')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByText('Enter a number from 1 to 500.').waitFor()
    await dialog.getByLabel('How many people').fill('25')
    await dialog.getByLabel('Only addresses at these domains').fill('not a domain')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByText('This value isn’t valid.').waitFor()
    await dialog.getByLabel('Only addresses at these domains').fill('acme.example, mill.example')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await page.getByRole('dialog', { name: 'Copy the link now' }).waitFor()
    await visit.assertAccessible()
    await dialog.getByRole('button', { name: 'Copy' }).click()
    await dialog.getByText('Copied', { exact: true }).waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    assert.match(copied, new RegExp(`^${site.origin}/join\\?token=\\S{20,}$`))
    await dialog.getByRole('button', { name: 'I’ve copied it' }).click()
    await page.getByText('0 of 25').waitFor()
    await page.getByText('acme.example and mill.example').waitFor()
    await visit.assertAccessible()
    await page.getByRole('button', { name: 'Cancel the link for Member' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel link' }).click()
    await page.getByText('Link canceled.').waitFor()
    const [link] = (await ann.api.get('/companies/invitation-links')).body.data
    assert.deepEqual([link.status, link.maxUses], ['revoked', 25])
    visit.assertClean()
    await visit.close()
  })

  it('is not there for who may only look', async () => {
    const ann = await signUp(client)
    await createRole(ann, 'Reader', ['users:read'])
    const bob = await join(ann, await signUp(client), ['Reader'])
    await invite(ann)
    await ann.api.post('/companies/invitation-links', {})
    const visit = await openAs(site, bob, { to: invitationsOf(ann) })
    const { page } = visit
    await page.getByText('0 of 1').waitFor()
    const before = visit.calls.length
    for (const name of ['Invite by email', 'Create link'])
      assert.equal(await page.getByRole('button', { name }).count(), 0)
    assert.equal(await page.getByRole('button', { name: /^(Actions for|Cancel the link)/ }).count(), 0)
    await page.reload()
    await page.getByText('0 of 1').waitFor()
    // Whose session it is, what they may do, and two of the page.
    assert.equal(visit.calls.length - before, 4)
    visit.assertClean()
    await visit.close()
  })
})

it('shows addresses and filters whole between a phone and a desktop, in Portuguese', async () => {
  const ann = await signUp(client, { name: 'Ana Paula Figueiredo dos Santos', locale: 'pt' })
  await invite(ann, { email: anyEmail() })
  const visit = await openAs(site, ann, { to: `/c/${ann.company.id}/members` })
  const { page } = visit
  for (const address of [`/c/${ann.company.id}/members`, invitationsOf(ann)]) {
    await visit.goto(address)
    await page.getByRole('cell').first().waitFor()
    for (const width of [645, 900]) {
      await page.setViewportSize({ width, height: 900 })
      const cut = await page.evaluate(`[...document.querySelectorAll('main td span, main button span')]
        .filter((each) => getComputedStyle(each).textOverflow === 'ellipsis' && each.scrollWidth > each.clientWidth)
        .map((each) => each.textContent)`)
      assert.deepEqual(cut, [], `${width}`)
    }
  }
  visit.assertClean()
  await visit.close()
})
