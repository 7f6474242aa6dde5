import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { startDnsServer } from '../support/dns-server.ts'
import { addDomain, anyDomain, publish, type TestDomain } from '../support/domains.ts'
import { confirmMailbox } from '../support/factors.ts'
import { createRole, join } from '../support/members.ts'
import { type Person, signUp } from '../support/people.ts'
import { PHONE, useConsole } from './support/console.ts'
import { codeTo } from './support/emails.ts'
import { openAs } from './support/sign-in.ts'

const dns = await startDnsServer()
after(() => dns.close())
const site = await useConsole({ DNS_SERVERS: dns.address })
const { client } = site.service

const domainsPage = ({ company }: Person) => `/c/${company.id}/settings/domains`
const domainsOf = async ({ api }: Person): Promise<TestDomain[]> => (await api.get('/companies/domains')).body.data

/** Signed up with a verified address at the domain. */
async function personAt(name: string): Promise<Person> {
  const person = await signUp(client, { email: `p@${name}`, name: 'Bob Byron' })
  await confirmMailbox(site.service, person)
  return person
}

it('proves a domain by a record of the DNS, and lets its people ask to join', async () => {
  const ann = await signUp(client, { companyName: 'Acme Mill' })
  const name = anyDomain()
  const visit = await openAs(site, ann, {
    to: domainsPage(ann),
    viewport: PHONE,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const { page } = visit
  const dialog = page.getByRole('dialog')
  await page.getByText('No domains yet').waitFor()
  await page.getByRole('button', { name: 'Add domain' }).click()
  await dialog.getByLabel('Domain').fill('gmail.com')
  await page.keyboard.press('Enter')
  await dialog.getByText('Many organizations share this domain.').waitFor()
  await visit.assertAccessible()
  await dialog.getByLabel('Domain').fill('no domain')
  await page.keyboard.press('Enter')
  await dialog.getByText('Enter a domain like example.com.').waitFor()
  // As people paste it.
  await dialog.getByLabel('Domain').fill(` https://${name}/about`)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name }).waitFor()
  await page.getByRole('button', { name: 'Copy Value' }).click()
  const [domain] = await domainsOf(ann)
  assert.ok(domain)
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), domain.record.value)
  await visit.assertAccessible()

  await page.getByRole('button', { name: `Verify now: ${name}` }).click()
  await page.getByText('We didn’t find the DNS record.').waitFor()
  await page.getByText('there’s no such record').waitFor()
  publish(dns, domain)
  await page.getByRole('button', { name: `Verify now: ${name}` }).click()
  await page.getByText(`${name} is verified.`).waitFor()
  await page.getByRole('button', { name: 'Show DNS record' }).waitFor()

  await page.getByRole('button', { name: `Change joining by ${name}` }).click()
  await dialog.getByLabel('People ask, and you decide').check()
  await dialog.getByLabel('Manager').check()
  assert.equal(await dialog.getByLabel('Owner').count(), 0)
  await visit.assertAccessible()
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText(`Joining by ${name} was changed.`).waitFor()
  await page.getByText('Roles: Manager').waitFor()
  const width = await page.evaluate('document.documentElement.scrollWidth')
  assert.ok(Number(width) <= PHONE.width, `${width}`)

  const bob = await personAt(name)
  const other = await openAs(site, bob, { to: '/companies/join', viewport: PHONE })
  await other.page.getByRole('button', { name: 'Ask to join Acme Mill' }).click()
  await other.page.getByLabel('Code from the email').fill(await codeTo(site, bob.email))
  await other.page.keyboard.press('Enter')
  await other.page.getByText('Acme Mill was asked.').waitFor()
  await other.page.getByRole('button', { name: 'Withdraw the request to Acme Mill' }).waitFor()
  await other.assertAccessible()

  await visit.goto(`/c/${ann.company.id}`)
  await page.getByText('Bob Byron waits for a decision.').waitFor()
  await visit.assertAccessible()
  await page.getByRole('link', { name: 'View join requests' }).click()
  await page.getByRole('button', { name: 'Approve Bob Byron' }).waitFor()
  await visit.assertAccessible()
  await page.getByRole('button', { name: 'Approve Bob Byron' }).click()
  await dialog.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Bob Byron is now a member.').waitFor()
  await page.getByText('No one is waiting').waitFor()
  const members = (await ann.api.get('/companies/users')).body.data as { email: string; roles: string[] }[]
  assert.deepEqual(members.find(({ email }) => email === bob.email)?.roles, ['Manager'])

  await visit.goto(domainsPage(ann))
  await page.getByRole('button', { name: `Remove ${name}` }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No domains yet').waitFor()
  for (const each of [visit, other]) {
    each.assertClean()
    await each.close()
  }
})

it('lets people in at once where an owner said so, from the home of those in no company', async () => {
  const ann = await signUp(client, { companyName: 'Corner Shop' })
  const domain = await addDomain(ann)
  publish(dns, domain)
  assert.equal((await ann.api.post(`/companies/domains/${domain.id}/verify`)).status, 200)
  assert.equal((await ann.api.patch(`/companies/domains/${domain.id}`, { joinPolicy: 'auto' })).status, 200)
  const bob = await personAt(domain.name)
  assert.equal((await bob.api.delete(`/companies/${bob.company.id}`)).status, 200)
  const visit = await openAs(site, bob, { to: '/' })
  const { page } = visit
  await page.getByRole('heading', { name: 'Companies you may join' }).waitFor()
  await visit.assertAccessible()
  await page.getByRole('button', { name: 'Join Corner Shop' }).click()
  await page.getByLabel('Code from the email').fill(await codeTo(site, bob.email))
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/c/${ann.company.id}`)
  visit.assertClean()
  await visit.close()
})

it('shows domains to who may read them, and only owners what changes them', async () => {
  const ann = await signUp(client)
  const domain = await addDomain(ann)
  await createRole(ann, 'Reader', ['domains:read'])
  const bob = await join(ann, await signUp(client), ['Reader'])
  const visit = await openAs(site, bob, { to: domainsPage(ann) })
  const { page } = visit
  await page.getByRole('heading', { name: domain.name }).waitFor()
  await page.getByText('Only owners can change domains.').waitFor()
  assert.equal(await page.getByRole('button', { name: /^(Add|Verify|Change|Remove)/ }).count(), 0)
  await visit.assertAccessible()
  visit.assertClean()
  await visit.close()
})
