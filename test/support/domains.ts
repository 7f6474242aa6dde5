import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { type TestApp, useTestApp } from './app.ts'
import type { Answer } from './client.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { confirmMailbox } from './factors.ts'
import { type Person, signUp } from './people.ts'

/** A domain as the API returns it. */
export interface TestDomain {
  id: string
  name: string
  status: string
  record: { type: string; name: string; value: string }
  joinPolicy: string
  joinRoles: { id: string; name: string; given: boolean }[]
  check_result: string | null
  failing_since: string | null
}

/** The service with a name server of its own. Await it at the top of the file, before any test. */
export async function useTestAppWithDns(settings: Record<string, string> = {}): Promise<TestApp & { dns: DnsServer }> {
  const dns = await startDnsServer()
  after(() => dns.close())
  return { ...(await useTestApp({ DNS_SERVERS: dns.address, ...settings })), dns }
}

export const anyDomain = () => `corp-${randomBytes(6).toString('hex')}.example`

export async function addDomain(by: Person, name = anyDomain()): Promise<TestDomain> {
  const answer = await by.api.post('/companies/domains', { name })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.data
}

/** Beside what is there already. */
export function publish({ zone }: DnsServer, { record }: TestDomain): void {
  const txt = zone.get(record.name)?.txt ?? []
  zone.set(record.name, { txt: [...txt, record.value] })
}

export const verify = (by: Person, { id }: TestDomain) => by.api.post(`/companies/domains/${id}/verify`)

const TRIES_MAX = 5

/** The same, repeated where the name server was not heard in time: a slow machine must not fail a test. */
export async function verifyHeard(by: Person, domain: TestDomain): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await verify(by, domain)
    if (answer.status !== 422 || tries === TRIES_MAX) return answer
    const { check_result } = (await by.api.get(`/companies/domains/${domain.id}`)).body.data
    if (check_result !== 'unanswered') return answer
  }
}

/** A domain that the company has verified, with the way in which people join by it. */
export async function verifiedDomain(
  { dns }: { dns: DnsServer },
  by: Person,
  { name = anyDomain(), ...joining }: { name?: string; joinPolicy?: string; joinRoleIds?: string[] } = {},
): Promise<TestDomain> {
  const domain = await addDomain(by, name)
  publish(dns, domain)
  assert.equal((await verifyHeard(by, domain)).status, 200)
  return chooseJoining(by, domain, joining)
}

export async function chooseJoining(by: Person, { id }: TestDomain, joining: object): Promise<TestDomain> {
  const answer = await by.api.patch(`/companies/domains/${id}`, joining)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.data
}

/** A signed-up person with a verified address at the domain, whose session has proved the mailbox. */
export async function personAt(service: TestApp, { name }: { name: string }): Promise<Person> {
  return personWith(service, `p-${randomBytes(6).toString('hex')}@${name}`)
}

/** The same with this address. */
export async function personWith(service: TestApp, email: string): Promise<Person> {
  const person = await signUp(service.client, { email })
  await confirmAddress(service, person)
  await confirmMailbox(service, person)
  return person
}

/** By a link that the person asks for, because signing up sends none by default. */
export async function confirmAddress({ client, mailbox }: TestApp, { email }: { email: string }): Promise<void> {
  assert.equal((await client.post('/auth/verify-email/resend', { email })).status, 200)
  const token = await mailbox.token(email, 'confirm_email')
  assert.equal((await client.post('/auth/verify-email', { token })).status, 200)
}

export const joinable = async ({ api }: Person) => (await api.get('/auth/companies/joinable')).body.data
export const joinByDomain = (person: Person, { company }: Person, emailCode?: string) =>
  person.api.post(`/auth/companies/${company.id}/join`, emailCode === undefined ? {} : { emailCode })

/** Rows in every table about domains and joining, for tests over all tables. `other`: an account that is no member. */
export async function plantDomain({ db }: Pick<TestApp, 'db'>, { company }: Person, other: Person): Promise<void> {
  await db.query(
    `with domain as (
       insert into company_domains (company_id, id, name, status, verified_at, check_at)
       values ($1, gen_random_uuid(), $2, 'verified', now(), now()) returning id),
     role as (
       insert into company_domain_roles (company_id, domain_id, role_id)
       select $1, domain.id, roles.id from domain, roles where company_id = $1 and system_key = 'member'),
     checking as (insert into domain_checks (company_id, id) values ($1, gen_random_uuid())),
     former as (insert into former_members (company_id, account_id) values ($1, $3)),
     address as (insert into former_addresses (company_id, email, account_id) values ($1, $4, $3))
     insert into join_requests (company_id, id, account_id, email, name, domain_id)
     select $1, gen_random_uuid(), $3, $4, $5, id from domain`,
    [company.id, anyDomain(), other.id, other.email, other.name],
  )
}
