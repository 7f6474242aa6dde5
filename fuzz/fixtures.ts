import { newId } from '../src/lib/ids.ts'
import type { TestApp } from '../test/support/app.ts'
import { addMember, join, link } from '../test/support/members.ts'
import { PASSWORD, type Person as SignedUp, signIn, signUp } from '../test/support/people.ts'
import { type Caller, type Credentials, callersWithoutAccount } from './callers.ts'
import { type Canaries, freshWord } from './canaries.ts'

export interface Fixtures {
  callers: Caller[]
  /** The companies that everything happens in. */
  companyIds: string[]
  /** Tokens of links in letters that nobody has followed yet. */
  linkTokens: string[]
}

const customRoles = {
  Reader: ['users:read', 'roles:read', 'audit:read'],
  Editor: ['users:read', 'users:create', 'users:update', 'users:delete', 'roles:read', 'roles:create', 'roles:update'],
}
const systemRoles = ['Owner', 'Admin', 'Manager', 'Member']

/** Three companies with everybody that a company can have, who all sign up and join as people do. */
export async function createFixtures(service: TestApp, canaries: Canaries): Promise<Fixtures> {
  const callers: Caller[] = []
  const owners: SignedUp[] = []
  const everyRole = [...systemRoles, ...Object.keys(customRoles)]
  for (const [letter, roles] of Object.entries({ A: everyRole, B: everyRole, C: ['Owner', 'Reader'] })) {
    const owner = await newPerson(service, canaries, `${letter} Owner`, freshWord())
    owners.push(owner)
    callers.push(callerFrom(`${letter} Owner`, owner), ...(await addStaff(service, canaries, owner, letter, roles)))
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
  const closed = await createDeletedCompany(service, canaries)
  callers.push(...closed)
  for (const owner of [first, second]) await offerOwnership(owner, callers)
  const companyIds = [...owners.map(({ company }) => company.id), (closed[0] as Caller).companyId]
  return { callers, companyIds, linkTokens }
}

/** Linked by a second company and not there yet: who may come in, and whose password somebody else was shown. */
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

/** One that its Owner can still take back, with a member who can't. */
async function createDeletedCompany(service: TestApp, canaries: Canaries): Promise<Caller[]> {
  const owner = await newPerson(service, canaries, 'D Owner', freshWord())
  const member = await newPerson(service, canaries, 'D Second Admin')
  await join(owner, member, ['Admin'])
  await createBranches(canaries, owner)
  await owner.api.delete(`/companies/${owner.company.id}`)
  const caller = { ...callerFrom('D Owner', owner), trait: 'closed company' as const }
  return [caller, { ...callerFrom('D Second Admin', member), companyId: owner.company.id }]
}

/** An Admin is to be an Owner, and has not answered yet. */
async function offerOwnership({ company, api }: SignedUp, callers: Caller[]): Promise<void> {
  const receiver = callers.find(({ companyId, name }) => companyId === company.id && / Second Admin$/.test(name))
  await api.post(`/companies/${company.id}/ownership-transfer`, { userId: receiver?.accountId })
}

/** Branches below one another and beside, one of them inactive; the Owner belongs to one. */
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
    name: `Closed ${canaries.create({ companyId: company.id })}`,
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
  letter: string,
  roles: string[],
): Promise<Caller[]> {
  await addCustomRoles(service, canaries, owner)
  await createBranches(canaries, owner)
  const callers: Caller[] = []
  const addEmployee = async (title: string, role: string, credentials: Credentials = 'good') => {
    const name = `${letter} ${title}`
    const person = await newPerson(service, canaries, name)
    await join(owner, person, [await fullName(service, owner.company.id, role)])
    await fillMember(canaries, owner, person.id)
    callers.push({ ...callerFrom(name, person), companyId: owner.company.id, credentials })
    return person
  }
  for (const role of roles) await addEmployee(`Second ${role}`, role)
  const inactive = await addEmployee('Inactive', 'Admin')
  await owner.api.patch(`/companies/users/${inactive.id}`, { status: 'inactive' })
  const signedOut = await addEmployee('Signed Out', 'Admin', 'bad')
  await signedOut.api.post('/auth/logout', { refreshToken: signedOut.refreshToken })
  await addMember(owner, { name: `${letter} Managed` })
  callers.push(await addNewcomer(service, owner, letter))
  return callers
}

/** By their own operation, once there is one. */
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

/** What the company writes about a member is the company's. */
async function fillMember(canaries: Canaries, owner: SignedUp, id: string): Promise<void> {
  const word = canaries.create({ companyId: owner.company.id })
  await owner.api.patch(`/companies/users/${id}`, { phone: word, position: word, document_number: word })
}

/** Somebody with a temporary password, who has not chosen one yet. */
async function addNewcomer({ client, postbox }: TestApp, owner: SignedUp, letter: string): Promise<Caller> {
  const { email } = await addMember(owner, { name: `${letter} Newcomer` })
  const [letterToThem] = await postbox.to(email)
  const password = /^\w{16}$/m.exec(letterToThem?.text ?? '')?.[0] as string
  const person = await signIn(client, email, password)
  const caller = callerFrom(`${letter} Newcomer`, person)
  return { ...caller, password, companyId: owner.company.id, trait: 'temporary password' }
}

function callerFrom(name: string, { id, sessionId, company, accessToken, refreshToken }: SignedUp): Caller {
  const credentials = 'good' as const
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

/** Some people wait for a new address to be proven, some have asked for a new password, each has a second session. */
async function createLinks({ client, postbox, db }: TestApp, callers: Caller[]): Promise<string[]> {
  const tokens: string[] = []
  const wellKnown = callers.filter(({ credentials, password }) => credentials === 'good' && password === PASSWORD)
  for (const [index, caller] of wellKnown.entries()) {
    const { accountId, accessToken } = caller
    const [account] = await db.query<{ email: string }>('select email from accounts where id = $1', [accountId])
    const { email } = account as { email: string }
    await signIn(client, email)
    if (index % 3 === 0) {
      await client.put('/auth/profile', { email: `changed-${index}@example.com` }, { token: accessToken })
      caller.trait = 'pending address'
      tokens.push(await postbox.token(`changed-${index}@example.com`, 'change_email'))
    }
    if (index % 3 === 1) {
      await client.post('/auth/forgot-password', { email })
      tokens.push(await postbox.token(email, 'reset_password'))
    }
  }
  return tokens
}
