import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startDnsServer } from '../support/dns-server.ts'
import { addDomain, anyDomain, chooseJoining, publish, type TestDomain, verifyHeard } from '../support/domains.ts'
import { confirmMailbox } from '../support/factors.ts'
import { createRole, join } from '../support/members.ts'
import { type Person, signUp } from '../support/people.ts'
import { PHONE, useConsole, type Visit } from './support/console.ts'
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

describe('how people join by a domain', () => {
  /** Verified, and changed by its owner with the page open. */
  async function opened(joining: { joinPolicy: string; isGuest?: boolean }, viewport?: typeof PHONE) {
    const ann = await signUp(client)
    const guest = await createRole(ann, 'Guest', ['branches:read'])
    const domain = await addDomain(ann)
    publish(dns, domain)
    assert.equal((await verifyHeard(ann, domain)).status, 200)
    await chooseJoining(ann, domain, { joinPolicy: joining.joinPolicy, joinRoleIds: joining.isGuest ? [guest.id] : [] })
    const visit = await openAs(site, ann, { to: domainsPage(ann), ...(viewport && { viewport }) })
    const { page } = visit
    const open = async () => {
      await page.getByRole('button', { name: `Change joining by ${domain.name}` }).click()
      await page.getByRole('radio').first().waitFor()
    }
    const save = () => page.getByRole('dialog').getByRole('button', { name: 'Save changes' }).click()
    const saved = () => page.getByText(`Joining by ${domain.name} was changed.`).last().waitFor()
    return { ann, guest, domain, visit, page, dialog: page.getByRole('dialog'), open, save, saved }
  }

  async function joiningOf(owner: Person) {
    const { joinPolicy, joinRoles } = (await domainsOf(owner))[0] ?? assert.fail()
    return [joinPolicy, ...joinRoles.map(({ name, given }) => `${name} ${given ? 'given' : 'not given'}`)]
  }

  async function raiseGuest(ann: Person, { path }: { path: string }, permissions: string[]) {
    const eve = await join(ann, await signUp(client), ['Admin'])
    assert.equal((await eve.api.patch(path, { permissions })).status, 200)
  }

  async function finish(visit: Visit) {
    visit.assertClean()
    await visit.close()
  }

  it('is what another owner has saved, also while the page or the dialog was open', async () => {
    const { ann, domain, visit, page, dialog, open, save, saved } = await opened({ joinPolicy: 'auto' }, PHONE)
    const bob = await join(ann, await signUp(client), ['Owner'])
    await page.getByText('Everyone joins at once').waitFor()
    await chooseJoining(bob, domain, { joinPolicy: 'none' })
    await open()
    assert.ok(await dialog.getByLabel('Nobody').isChecked())
    await dialog.getByLabel('People ask, and you decide').check()
    await dialog.getByLabel('Manager').check()
    // Another version that says the same about joining.
    assert.equal((await verifyHeard(bob, domain)).status, 200)
    await save()
    await saved()
    assert.deepEqual(await joiningOf(ann), ['request', 'Manager given'])

    await open()
    await dialog.getByLabel('Admin').check()
    await chooseJoining(bob, domain, { joinPolicy: 'auto', joinRoleIds: [] })
    await save()
    await page.getByRole('dialog', { name: /Someone else changed this/ }).waitFor()
    assert.match(String(await dialog.textContent()), /Everyone joins at onceEveryone joins at once/)
    assert.match(
      String(await dialog.textContent()),
      /Roles of people who joinMember(Admin and Manager|Manager and Admin)/,
    )
    await visit.assertAccessible()
    await dialog.getByRole('button', { name: 'Keep what’s saved' }).click()
    await page.getByText('Roles: Member').waitFor()
    assert.deepEqual(await joiningOf(ann), ['auto'])
    await finish(visit)
  })

  it('gives no role that was widened, unless the owner ticks it again', async () => {
    const { ann, guest, visit, page, dialog, open, save, saved } = await opened({
      joinPolicy: 'request',
      isGuest: true,
    })
    await page.getByText('Roles: Guest').waitFor()
    await raiseGuest(ann, guest, ['users:read', 'users:create', 'audit:read'])
    await open()
    assert.equal(await dialog.getByLabel('Guest').isChecked(), false)
    await dialog.getByText('it gives more than when it was chosen').waitFor()
    await visit.assertAccessible()
    await page.setViewportSize(PHONE)
    await visit.assertAccessible()
    const width = await page.evaluate('document.documentElement.scrollWidth')
    assert.ok(Number(width) <= PHONE.width, `${width}`)
    await dialog.getByLabel('Everyone joins at once').check()
    await save()
    await saved()
    assert.deepEqual(await joiningOf(ann), ['auto', 'Guest not given'])
    await page.getByText('People who join don’t get Guest until an owner chooses it again').waitFor()

    await open()
    await dialog.getByLabel('Guest').check()
    await save()
    await page.getByText('Roles: Guest').waitFor()
    assert.deepEqual(await joiningOf(ann), ['auto', 'Guest given'])

    // Widened once more while the dialog is open, in which it is ticked from the beginning.
    await open()
    assert.ok(await dialog.getByLabel('Guest').isChecked())
    await dialog.getByLabel('Manager').check()
    await raiseGuest(ann, guest, ['users:read', 'users:create', 'users:update', 'audit:read'])
    await save()
    await page.getByRole('dialog', { name: /Someone else changed this/ }).waitFor()
    assert.match(String(await dialog.textContent()), /Guest \(not given\)Manager/)
    await visit.assertAccessible()
    await dialog.getByRole('button', { name: 'Save my changes' }).click()
    await page.getByText('Roles: Manager').waitFor()
    assert.deepEqual(await joiningOf(ann), ['auto', 'Manager given'])
    await finish(visit)
  })

  it('loses a role that was widened when the owner saves it without', async () => {
    const { ann, guest, visit, page, open, save, saved } = await opened({ joinPolicy: 'request', isGuest: true }, PHONE)
    await open()
    assert.equal(await page.getByRole('button', { name: 'Save changes' }).getAttribute('aria-disabled'), 'true')
    await page.keyboard.press('Escape')
    await raiseGuest(ann, guest, ['audit:read'])
    await open()
    await save()
    await saved()
    await page.getByText('Roles: Member').waitFor()
    assert.deepEqual(await joiningOf(ann), ['request'])
    await finish(visit)
  })
})
