import assert from 'node:assert/strict'
import { createBranch } from '../../support/branches.ts'
import type { DnsServer } from '../../support/dns-server.ts'
import { addDomain, verifiedDomain } from '../../support/domains.ts'
import { confirmMailbox } from '../../support/factors.ts'
import { invite } from '../../support/invitations.ts'
import { createRole, rolesOf } from '../../support/members.ts'
import { type Person, signUp } from '../../support/people.ts'
import type { ConsoleUnderTest } from '../support/console.ts'

const people = [
  ['Bruno Almeida', 'Admin', 'Head of operations'],
  ['Carla Núñez', 'Manager', 'Store manager'],
  ['Daniel Okafor', 'Manager', 'Store manager'],
  ['Elif Demir', 'Member', 'Barista'],
  ['Freya Lindqvist', 'Member', 'Barista'],
  ['Gustavo Prieto', 'Member', 'Roaster'],
  ['Hana Sato', 'Member', 'Accountant'],
] as const

/** A company with members, roles and branches; the result is its owner. */
export async function createNorthwind({ service }: ConsoleUnderTest): Promise<Person> {
  const email = 'ann@northwind.example'
  const ann = await signUp(service.client, { name: 'Ann Lovelace', email, companyName: 'Northwind Coffee' })
  const iberia = await createBranch(ann, { name: 'Iberia' })
  const branches = [
    await createBranch(ann, { name: 'Lisbon', parentId: iberia.id }),
    await createBranch(ann, { name: 'Porto', parentId: iberia.id }),
  ]
  const roles = await rolesOf(ann)
  for (const [index, [name, role, position]] of people.entries()) {
    const places = { roleIds: [roles[role]], branchIds: [branches[index % 2]?.id] }
    const added = await ann.api.post('/companies/users', { name, email: emailOf(name), position, ...places })
    assert.equal(added.status, 201, JSON.stringify(added.body))
  }
  return ann
}

const emailOf = (name: string) => `${name.split(' ')[0]?.toLowerCase()}@northwind.example`

/** So that every page of the company has something to show. */
export async function fillNorthwind({ service }: ConsoleUnderTest, dns: DnsServer, ann: Person): Promise<void> {
  const { api } = ann
  const done = async (sent: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await sent
    assert.ok(status < 300, JSON.stringify(body))
  }
  await createRole(ann, 'Shift lead', ['users:read', 'users:update', 'branches:read', 'roles:read'])
  const roles = await rolesOf(ann)
  const change = async (name: string, changes: object) => {
    const [member] = (await api.get(`/companies/users?search=${name}`)).body.data
    await done(api.patch(`/companies/users/${member.id}`, changes))
  }
  await change('bruno', { roleIds: [roles.Admin, roles['Shift lead'], roles.Manager] })
  await change('carla', { status: 'inactive', phone: '+351 21 000 00 00' })
  await invite(ann, { email: 'ines@northwind.example', name: 'Inês Carvalho', roles: ['Manager', 'Shift lead'] })
  await invite(ann, { email: 'a-rather-long-address.of-somewhere@subsidiary.northwind.example', expiresInDays: 30 })
  await done(
    api.post('/companies/invitation-links', {
      roleIds: [roles.Member],
      maxUses: 25,
      allowedDomains: ['northwind.example'],
    }),
  )
  await verifiedDomain({ dns }, ann, { name: 'northwind.example', joinPolicy: 'request' })
  await addDomain(ann, 'northwind-coffee.example')
  const joiner = await signUp(service.client, { email: 'joao@northwind.example', name: 'João Pires' })
  await confirmMailbox(service, joiner)
  await done(joiner.api.post(`/auth/companies/${ann.company.id}/join`, {}))
}
