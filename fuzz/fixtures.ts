import { disableAccount } from '../src/features/auth/disable-account.ts'
import { suspendCompany } from '../src/features/companies/suspend-company.ts'
import { newId } from '../src/lib/ids.ts'
import type { TestApp } from '../test/support/app.ts'
import { addMember, emailedPassword, join, link } from '../test/support/members.ts'
import { PASSWORD, type Person as SignedUp, signIn, signUp } from '../test/support/people.ts'
import { type Caller, type Credentials, callersWithoutAccount } from './callers.ts'
import { type Canaries, freshWord } from './canaries.ts'

export interface Fixtures {
  callers: Caller[]
  /** All companies of the world. */
  companyIds: string[]
  /** Tokens of links that were emailed and are not used yet. */
  linkTokens: string[]
}

const customRoles = {
  Reader: ['users:read', 'roles:read', 'audit:read'],
  Editor: ['users:read', 'users:create', 'users:update', 'users:delete', 'roles:read', 'roles:create', 'roles:update'],
}
const systemRoles = ['Owner', 'Admin', 'Manager', 'Member']

/** Creates companies with a member of every kind, through the API. */
export async function createFixtures(service: TestApp, canaries: Canaries): Promise<Fixtures> {
  const callers: Caller[] = []
  const owners: SignedUp[] = []
  const everyRole = [...systemRoles, ...Object.keys(customRoles)]
  for (const [company, roles] of Object.entries({ A: everyRole, B: everyRole, C: ['Owner', 'Reader'] })) {
    const owner = await newPerson(service, canaries, `${company} Owner`, freshWord())
    owners.push(owner)
    callers.push(callerFrom(`${company} Owner`, owner), ...(await addStaff(service, canaries, owner, company, roles)))
  }
  const [first, second] = owners as [SignedUp, SignedUp]
  const both = await newPerson(service, canaries, 'AB Both')
  await join(first, both, ['Member'])
  await join(second, both, ['Admin'])
  callers.push({ ...callerFrom('AB Both', both), companyId: first.company.id })
  callers.push(...(await linkToSecondCompany(service, canaries, first, second)))
  callers.push(callerFrom('Loner', await newPerson(service, canaries, 'Loner')))
  callers.push(...callersWithoutAccount(first.company.id))
  const linkTokens = await createLinks(service, callers)
  const deleted = await createDeletedCompany(service, canaries)
  const suspended = await createSuspendedCompany(service, canaries)
  callers.push(...deleted, ...suspended, await createDisabledAccount(service, canaries, first))
  for (const owner of [first, second]) await offerOwnership(owner, callers)
  const others = [deleted, suspended].map(([owner]) => (owner as Caller).companyId)
  const companyIds = [...owners.map(({ company }) => company.id), ...others]
  return { callers, companyIds, linkTokens }
}

/** Two accounts that a second company has linked and that have not opened it; the password of one was shown. */
async function linkToSecondCompany(
  service: TestApp,
  canaries: Canaries,
  first: SignedUp,
  second: SignedUp,
): Promise<Caller[]> {
  const unopened = await newPerson(service, canaries, 'B Unopened')
  await link(second, unopened, ['Admin'])
  const { id, email } = await addMember(first, { name: 'A Shown' })
  await second.api.post(`/companies/${second.company.id}/members`, { userId: id, roleNames: ['Admin'] })
  const { body } = await first.api.post(`/companies/users/${id}/reset-password`)
  const currentPassword = body.data.temporaryPassword as string
  const held = await signIn(service.client, email, currentPassword)
  await held.api.post('/auth/change-temporary-password', { currentPassword, newPassword: PASSWORD })
  const shown = await signIn(service.client, email)
  return [callerFrom('B Unopened', unopened), callerFrom('B Shown', shown)].map((caller) => ({
    ...caller,
    companyId: second.company.id,
  }))
}

/** A deleted company that its owner can restore, with a member who can't. */
async function createDeletedCompany(service: TestApp, canaries: Canaries): Promise<Caller[]> {
  const owner = await newPerson(service, canaries, 'D Owner', freshWord())
  const member = await newPerson(service, canaries, 'D Second Admin')
  await join(owner, member, ['Admin'])
  await createBranches(canaries, owner)
  await owner.api.delete(`/companies/${owner.company.id}`)
  const caller = { ...callerFrom('D Owner', owner), trait: 'deleted company' as const }
  return [caller, { ...callerFrom('D Second Admin', member), companyId: owner.company.id }]
}

const OPERATOR = { ip: null, name: 'Operator', userAgent: 'fuzz', requestId: 'fuzz' }
const QUIETLY = { notifies: false }

/** A suspended company with its people, who can only leave it. */
async function createSuspendedCompany(service: TestApp, canaries: Canaries): Promise<Caller[]> {
  const owner = await newPerson(service, canaries, 'E Owner', freshWord())
  const admin = await newPerson(service, canaries, 'E Second Admin')
  await join(owner, admin, ['Admin'])
  await createBranches(canaries, owner)
  await suspendCompany(service.parts, OPERATOR, owner.company.id, QUIETLY)
  return [owner, { ...admin, company: owner.company }].map((person) => ({
    ...callerFrom(person.name, person),
    trait: 'suspended company' as const,
  }))
}

/** An administrator whose account is disabled: no token of it works any more. */
async function createDisabledAccount(service: TestApp, canaries: Canaries, owner: SignedUp): Promise<Caller> {
  const person = await newPerson(service, canaries, 'A Disabled')
  await join(owner, person, ['Admin'])
  await disableAccount(service.database, OPERATOR, person.id, QUIETLY)
  return {
    ...callerFrom('A Disabled', person),
    companyId: owner.company.id,
    credentials: 'invalid',
    trait: 'disabled account',
  }
}

/** Leaves an offer of ownership to an Admin open. */
async function offerOwnership({ company, api }: SignedUp, callers: Caller[]): Promise<void> {
  const receiver = callers.find(({ companyId, name }) => companyId === company.id && / Second Admin$/.test(name))
  await api.post(`/companies/${company.id}/ownership-transfer`, { userId: receiver?.accountId })
}

/** Creates a chain of branches and an inactive one; the owner belongs to two of them. */
async function createBranches(canaries: Canaries, { id, company, api }: SignedUp): Promise<void> {
  let parentId: string | null = null
  const ids: string[] = []
  for (const title of ['Region', 'City', 'Street']) {
    const word = canaries.create({ companyId: company.id })
    const branch = { name: `${title} ${word}`, code: word, address: word, phone: word, parentId }
    parentId = (await api.post('/companies/branches', branch)).body.data.id as string
    ids.push(parentId)
  }
  const { body } = await api.post('/companies/branches', {
    name: `Inactive ${canaries.create({ companyId: company.id })}`,
  })
  await api.patch(`/companies/branches/${body.data.id}`, { status: 'inactive' })
  await api.patch(`/companies/users/${id}`, { branchIds: ids.slice(1) })
}

async function newPerson(service: TestApp, canaries: Canaries, name: string, word?: string): Promise<SignedUp> {
  const mark = freshWord()
  const email = `${name.toLowerCase().replace(/\W+/g, '.')}.${mark}@world.example.com`
  const company = word ? { companyName: `Company ${word}`, taxId: word } : {}
  const person = await signUp(service.client, { name: `${name} ${mark}`, email, ...company })
  canaries.register(mark, { accountId: person.id })
  if (word) canaries.register(word, { companyId: person.company.id })
  return person
}

async function addStaff(
  service: TestApp,
  canaries: Canaries,
  owner: SignedUp,
  company: string,
  roles: string[],
): Promise<Caller[]> {
  await addCustomRoles(service, canaries, owner)
  await createBranches(canaries, owner)
  const callers: Caller[] = []
  const addEmployee = async (title: string, role: string, credentials: Credentials = 'valid') => {
    const name = `${company} ${title}`
    const person = await newPerson(service, canaries, name)
    await join(owner, person, [await fullName(service, owner.company.id, role)])
    await fillMember(canaries, owner, person.id)
    callers.push({ ...callerFrom(name, person), companyId: owner.company.id, credentials })
    return person
  }
  for (const role of roles) await addEmployee(`Second ${role}`, role)
  const inactive = await addEmployee('Inactive', 'Admin')
  await owner.api.patch(`/companies/users/${inactive.id}`, { status: 'inactive' })
  const signedOut = await addEmployee('Signed Out', 'Admin', 'invalid')
  await signedOut.api.post('/auth/logout', { refreshToken: signedOut.refreshToken })
  await addMember(owner, { name: `${company} Managed` })
  callers.push(await addNewcomer(service, owner, company))
  return callers
}

/** Through the API where it has an operation for it. */
async function addCustomRoles({ db, document }: TestApp, canaries: Canaries, owner: SignedUp): Promise<void> {
  const { paths } = document as { paths: Record<string, { post?: object }> }
  const companyId = owner.company.id
  for (const [title, permissions] of Object.entries(customRoles)) {
    const word = canaries.create({ companyId })
    const name = `${title} ${word}`
    if (paths['/api/companies/roles']?.post) {
      await owner.api.post('/companies/roles', { name, description: word, permissions })
    } else {
      const columns = 'company_id, id, name, description, permissions'
      const values = [companyId, newId(), name, word, permissions]
      await db.query(`insert into roles (${columns}) values ($1, $2, $3, $4, $5)`, values)
    }
  }
}

async function fullName({ db }: TestApp, companyId: string, role: string): Promise<string> {
  const found = await db.query<{ name: string }>(
    `select name from roles where company_id = $1 and name like $2 || '%' order by length(name) desc limit 1`,
    [companyId, role],
  )
  return found[0]?.name ?? role
}

/** Fills the fields that a company keeps about a member with its canary. */
async function fillMember(canaries: Canaries, owner: SignedUp, id: string): Promise<void> {
  const word = canaries.create({ companyId: owner.company.id })
  await owner.api.patch(`/companies/users/${id}`, { phone: word, position: word, document_number: word })
}

/** A member who has signed in with a temporary password and has not chosen one yet. */
async function addNewcomer(service: TestApp, owner: SignedUp, company: string): Promise<Caller> {
  const { email } = await addMember(owner, { name: `${company} Newcomer` })
  const password = await emailedPassword(service, email)
  const person = await signIn(service.client, email, password)
  const caller = callerFrom(`${company} Newcomer`, person)
  return { ...caller, password, companyId: owner.company.id, trait: 'temporary password' }
}

function callerFrom(name: string, { id, sessionId, company, accessToken, refreshToken }: SignedUp): Caller {
  const credentials = 'valid' as const
  return {
    name,
    credentials,
    accountId: id,
    sessionId,
    companyId: company.id,
    password: PASSWORD,
    accessToken,
    refreshToken,
  }
}

/** Gives every caller a second session, and each a pending address, a link to reset the password or one to undo a change of address. */
async function createLinks({ client, mailbox, db }: TestApp, callers: Caller[]): Promise<string[]> {
  const tokens: string[] = []
  const signedInWithPassword = callers.filter(
    ({ credentials, password }) => credentials === 'valid' && password === PASSWORD,
  )
  for (const [index, caller] of signedInWithPassword.entries()) {
    const { accountId, accessToken } = caller
    const [account] = await db.query<{ email: string }>('select email from accounts where id = $1', [accountId])
    const { email } = account as { email: string }
    await signIn(client, email)
    if (index % 3 === 0) {
      await client.put('/auth/profile', { email: `changed-${index}@example.com` }, { token: accessToken })
      caller.trait = 'pending address'
      tokens.push(await mailbox.token(`changed-${index}@example.com`, 'change_email'))
    }
    if (index % 3 === 1) {
      await client.post('/auth/forgot-password', { email })
      tokens.push(await mailbox.token(email, 'reset_password'))
    }
    if (index % 3 === 2) {
      await client.put('/auth/profile', { email: `moved.${email}` }, { token: accessToken })
      await client.post('/auth/verify-email', { token: await mailbox.token(`moved.${email}`, 'change_email') })
      tokens.push(await mailbox.token(email, 'email_changed'))
    }
  }
  return tokens
}
