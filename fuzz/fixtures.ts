import { disableAccount } from '../src/features/auth/disable-account.ts'
import { suspendCompany } from '../src/features/companies/suspend-company.ts'
import { newId } from '../src/lib/ids.ts'
import type { TestApp } from '../test/support/app.ts'
import { confirmFactor, confirmMailbox } from '../test/support/factors.ts'
import { addMember, emailedPassword, join, link } from '../test/support/members.ts'
import { PASSWORD, type Person as SignedUp, signIn, signUp } from '../test/support/people.ts'
import { type Caller, type Credentials, callersWithoutAccount } from './callers.ts'
import { type Canaries, freshWord } from './canaries.ts'
import type { Passkeys } from './passkeys.ts'
import { callerFrom, newPerson } from './people.ts'
import { createPolicyCompany } from './policy-company.ts'
import { createProtectedAccounts, createUndoableFactors } from './protected-accounts.ts'

export interface Fixtures {
  callers: Caller[]
  /** All companies of the world. */
  companyIds: string[]
  /** Tokens of links that were emailed and are not used yet. */
  linkTokens: string[]
  /** Of links that companies hand out, which are among them, too. */
  joinTokens: string[]
  /** Of sign-ins that wait for a second factor. */
  challenges: string[]
  recoveryCodes: string[]
  passkeys: Passkeys
  /** By account: the token of an invitation to it. */
  ownTokens: Map<string, string>
  /** By account: the id of that invitation. */
  ownInvitations: Map<string, string>
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
  const { callers: protectedCallers, undoTokens, ...factors } = await createProtectedAccounts(service, canaries, first)
  linkTokens.push(...undoTokens)
  callers.push(...protectedCallers, await createInvited(service, canaries, first))
  linkTokens.push(...(await createUndoableFactors(service, canaries)))
  const invitations = await createInvitations(service, [first, second], callers, linkTokens)
  const deleted = await createDeletedCompany(service, canaries)
  const suspended = await createSuspendedCompany(service, canaries)
  const joined = await createJoinedCompany(service)
  const guarded = await createPolicyCompany(service, canaries)
  callers.push(...deleted, ...suspended, ...joined, ...guarded, await createDisabledAccount(service, canaries, first))
  await addDomains(canaries, [first, second])
  for (const owner of [first, second]) await offerOwnership(owner, callers)
  const others = [guarded, joined, deleted, suspended].map(([owner]) => (owner as Caller).companyId)
  const companyIds = [...owners.map(({ company }) => company.id), ...others]
  return { callers, companyIds, linkTokens, ...factors, ...invitations }
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

/** No member of a company yet, but invited to the first company, which its requests name. */
async function createInvited(service: TestApp, canaries: Canaries, { company }: SignedUp): Promise<Caller> {
  const person = await newPerson(service, canaries, 'Invited')
  return { ...callerFrom('Invited', person), companyId: company.id }
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

/**
 * A company with a verified domain that nothing is secret of, because people who can join see its name: with its owner, a
 * person who can join, and one who has asked to.
 */
async function createJoinedCompany(service: TestApp): Promise<Caller[]> {
  const [owner, joining, asking] = [
    await signUp(service.client),
    await signUp(service.client, { email: 'joining@joined.example.com' }),
    await signUp(service.client, { email: 'asking@joined.example.com' }),
  ]
  await service.db.query(`update accounts set email_verified_at = now() where email like '%@joined.example.com'`)
  for (const person of [joining, asking]) await confirmMailbox(service, person)
  const { id } = (await owner.api.post('/companies/domains', { name: 'joined.example.com' })).body.data
  await owner.api.post(`/companies/domains/${id}/verify`)
  await owner.api.patch(`/companies/domains/${id}`, { joinPolicy: 'request' })
  await asking.api.post(`/auth/companies/${owner.company.id}/join`)
  await owner.api.patch(`/companies/domains/${id}`, { joinPolicy: 'auto' })
  const companyId = owner.company.id
  return [
    { ...callerFrom('F Owner', owner), trait: 'is asked' },
    { ...callerFrom('F Joining', joining), companyId, trait: 'can join' },
    { ...callerFrom('F Asking', asking), companyId, trait: 'asked to join' },
  ]
}

/** One of its own for each company, and one that several claim. */
async function addDomains(canaries: Canaries, owners: SignedUp[]): Promise<void> {
  for (const { company, api } of owners) {
    const word = canaries.create({ companyId: company.id })
    for (const name of [`${word}.example`, 'claimed.example']) await api.post('/companies/domains', { name })
  }
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
  // Two whose second factors their company can reset.
  for (const nth of ['Managed', 'Protected Managed']) {
    const { id } = await addMember(owner, { name: `${company} ${nth}` })
    await confirmFactor(service.db, id)
  }
  callers.push(await addNewcomer(service, owner, company))
  return callers
}

/** Each company invites people without an account, hands out links, and invites those of the other one, whose addresses are verified. */
async function createInvitations(
  { client, mailbox, db }: TestApp,
  owners: SignedUp[],
  callers: Caller[],
  linkTokens: string[],
): Promise<Pick<Fixtures, 'ownTokens' | 'ownInvitations' | 'joinTokens'>> {
  const [ownTokens, ownInvitations] = [new Map<string, string>(), new Map<string, string>()]
  const joinTokens: string[] = []
  for (const [index, { api, company, accessToken }] of owners.entries()) {
    const inside = client.with({ token: accessToken, company: company.id })
    for (let nth = 0; nth < 6; nth++) {
      const email = `invited-${index}-${nth}@example.com`
      await inside.post('/companies/invitations', { email })
      linkTokens.push(await mailbox.token(email, 'invitation'))
      joinTokens.push((await api.post('/companies/invitation-links', { maxUses: 500 })).body.data.token)
    }
    const others = callers.filter(
      ({ name, companyId, accountId, credentials, trait }) =>
        (companyId !== company.id || name === 'Invited') && accountId && credentials === 'valid' && trait === undefined,
    )
    for (const { accountId } of others) {
      const [account] = await db.query<{ email: string }>(
        'update accounts set email_verified_at = now() where id = $1 and password_shown_at is null returning email',
        [accountId],
      )
      if (!account || !accountId || ownTokens.has(accountId)) continue
      const { status, body } = await inside.post('/companies/invitations', { email: account.email })
      if (status !== 201) continue
      await confirmMailbox({ db }, { id: accountId })
      ownTokens.set(accountId, await mailbox.token(account.email, 'invitation'))
      ownInvitations.set(accountId, body.data.id)
    }
  }
  linkTokens.push(...joinTokens)
  return { ownTokens, ownInvitations, joinTokens }
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
    // No ownership changes hands while a former address can restore the account of a party.
    const isParty = / (?:Owner|Second Admin)$/.test(caller.name)
    if (index % 3 === 2 && !isParty) {
      await client.put('/auth/profile', { email: `moved.${email}` }, { token: accessToken })
      await client.post('/auth/verify-email', { token: await mailbox.token(`moved.${email}`, 'change_email') })
      tokens.push(await mailbox.token(email, 'email_changed'))
    }
  }
  return tokens
}
