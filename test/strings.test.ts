import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { useTestApp } from './support/app.ts'
import type { Answer } from './support/client.ts'
import { type DocumentedOperation, operationsOf } from './support/documents.ts'
import { signUpVerified } from './support/factors.ts'
import { anyEmail, PASSWORD, type Person } from './support/people.ts'

const service = await useTestApp()
const operations = operationsOf(service.document)

const MARK = 'a-mark-that-is-unique'

/** Strings of careless and malicious clients. */
const inBodies: Record<string, unknown> = {
  NUL: `${MARK}\0tail`,
  'half a surrogate pair': `${MARK}\ud800`,
  'the other half': `\udc00${MARK}`,
  'a reversed text': `${MARK}\u202egnp.exe`,
  'a line break': `${MARK}\r\nBcc: all@example.com`,
  'tag characters': `${MARK}\u{e0041}\u{e007f}`,
  'characters that nothing is assigned to and nothing shows': `${MARK}\u{e0080}`,
  'a soft hyphen': `${MARK}\u00adtail`,
  'a space without width': `${MARK}\u200btail`,
  'a joiner between characters that do not join': `${MARK}\u200dtail`,
  'a non-joiner between them': `${MARK}\u200ctail`,
  "an emoji's selector after a character": `${MARK}\ufe0f`,
  'an annotation': `${MARK}\ufff9tail\ufffb`,
  '100 kB': 'x'.repeat(100_000),
  'a list': [`${MARK}`],
  'an object': { toString: MARK, length: 5 },
  'a number': 7,
  'a great number': 1e308,
  true: true,
  null: null,
  nothing: '',
  blanks: '   ',
  'SQL patterns': '%_\\',
  'a quote': `' or 1=1 --`,
}
const inAddresses: Record<string, string> = {
  NUL: `${MARK}%00`,
  'half a surrogate pair': '%ED%A0%80',
  'bytes that are no UTF-8': '%FF%FE',
  'a torn escape': '%E0%A',
  '8 kB': 'x'.repeat(8000),
  'a number': '7',
  'a great number': '9'.repeat(400),
  nothing: '',
  'SQL patterns': '%25_%5C',
  'a quote': `'%20or%201=1%20--`,
  'a prototype': 'constructor',
  braces: `%7B${randomUUID()}%7D`,
  'another folder': '..%2f..%2fetc%2fpasswd',
}

/** A new person with a colleague for each position, because some requests delete what they find. */
interface Cast {
  ann: Person
  colleagueId: string
  /** An account outside of the company. */
  strangerId: string
  memberRoleId: string
  branchId: string
  /** A custom role without members. */
  ownRoleId: string
}

async function makeCast(): Promise<Cast> {
  const ann = await signUpVerified(service)
  const [colleagueId, strangerId, branchId, ownRoleId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  const [role] = await service.db.query<{ id: string }>(
    `select id from roles where company_id = $1 and system_key = 'member'`,
    [ann.company.id],
  )
  await service.db.query(`
    insert into accounts (id, email, name) values ('${colleagueId}', '${colleagueId}@example.com', 'Colleague'),
      ('${strangerId}', '${strangerId}@example.com', 'Stranger');
    insert into memberships (company_id, account_id) values ('${ann.company.id}', '${colleagueId}');
    insert into membership_roles (company_id, account_id, role_id)
      values ('${ann.company.id}', '${colleagueId}', '${role?.id}');
    insert into branches (company_id, id, name, name_key, name_folded)
      values ('${ann.company.id}', '${branchId}', 'Here', 'here', 'here');
    insert into roles (company_id, id, name, name_folded, permissions)
      values ('${ann.company.id}', '${ownRoleId}', 'Own', 'own', '{}')`)
  return { ann, colleagueId, strangerId, memberRoleId: role?.id as string, ownRoleId, branchId }
}

/** Has the form of a passkey and of what one signs. */
const CREDENTIAL = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' },
}

/** Values that make a request valid, by field name. */
function goodValue(name: string, cast: Cast, url: string): unknown {
  const { ann, colleagueId, strangerId, memberRoleId, ownRoleId, branchId } = cast
  const values: Record<string, unknown> = {
    email: anyEmail(),
    password: PASSWORD,
    currentPassword: PASSWORD,
    newPassword: 'Another-horse-8',
    refreshToken: ann.refreshToken,
    userId: url.endsWith('/members') ? strangerId : colleagueId,
    id: url.startsWith('/auth/sessions') ? ann.sessionId : ann.company.id,
    roleIds: [memberRoleId],
    joinRoleIds: [memberRoleId],
    joinPolicy: 'request',
    domainId: randomUUID(),
    requestId: randomUUID(),
    invitationId: randomUUID(),
    linkId: randomUUID(),
    expiresInDays: 7,
    compromised: true,
    maxUses: 1,
    ...(url.endsWith('/policy') && { secondFactor: {}, sessions: {}, networks: {}, members: {}, passwords: {} }),
    allowedDomains: ['example.com'],
    name: url.endsWith('/domains') ? `d-${randomUUID()}.example` : 'Some name',
    roleNames: ['Member'],
    branchId,
    branchIds: [branchId],
    parentId: undefined,
    sessionIn: undefined,
    tree: 'true',
    avatar_url: 'https://example.com/ann.png',
    timezone: 'Europe/Lisbon',
    locale: 'pt-BR',
    slug: `slug-${randomUUID()}`,
    status: 'active',
    sortBy: undefined,
    sortDir: 'asc',
    page: '1',
    limit: '20',
    q: 'an',
    factorId: ann.id,
    roleId: url.includes('/roles/') ? ownRoleId : memberRoleId,
    permission: 'users:read',
    permissions: ['users:read'],
    format: 'csv',
    retentionDays: 365,
    // One of several, of which a valid request has one.
    code: /second-factor|confirm$/.test(url) ? '123456' : 'Some code',
    recoveryCode: undefined,
    emailCode: undefined,
    credential: /passkeys/.test(url) ? CREDENTIAL : undefined,
    ...(url.endsWith('/step-up') && { code: undefined }),
  }
  return name in values ? values[name] : `Some ${name}`
}

interface Place {
  where: 'path' | 'query' | 'body'
  name: string
  /** The string is an item of a list. */
  listed: boolean
}

function placesOf({ parameters, requestBody }: DocumentedOperation): Place[] {
  const inUrl = parameters.flatMap(({ name, in: where }) =>
    where === 'header' ? [] : [{ where, name, listed: false }],
  )
  const properties = (requestBody?.content['application/json'].schema.properties ?? {}) as Record<
    string,
    { type?: string }
  >
  const inBody = Object.entries(properties).flatMap(([name, schema]) => [
    { where: 'body' as const, name, listed: false },
    ...(schema.type === 'array' ? [{ where: 'body' as const, name, listed: true }] : []),
  ])
  return [...inUrl, ...inBody]
}

/** Sends a request that is valid except for one position. */
async function send(at: DocumentedOperation, cast: Cast, place: Place, value: unknown): Promise<Answer> {
  const { parameters, requestBody } = at
  const isHere = (where: string, name: string) => place.where === where && place.name === name
  let path = at.url
  const query: string[] = []
  for (const { name, in: where, required } of parameters) {
    const text = isHere(where, name) ? String(value) : encodeURIComponent(String(goodValue(name, cast, at.url) ?? ''))
    if (where === 'path') path = path.replace(`{${name}}`, text)
    else if (isHere(where, name) || (where === 'query' && required)) query.push(`${name}=${text}`)
  }
  const fields = Object.keys(requestBody?.content['application/json'].schema.properties ?? {})
  const body = Object.fromEntries(fields.map((name) => [name, goodValue(name, cast, at.url)]))
  if (place.where === 'body') body[place.name] = place.listed ? [value] : value
  return cast.ann.api.send(at.method, path + (query.length > 0 ? `?${query.join('&')}` : ''), requestBody && body)
}

/** Refusals of valid requests in these tests: without a pending change, without a token. */
const EXPECTED = [
  'pending_email_not_found',
  'link_invalid',
  'credentials_wrong',
  'no_temporary_password',
  'account_not_managed',
  'company_not_deleted',
  'last_owner',
  'transfer_not_found',
  'domain_not_found',
  'join_request_not_found',
  'invitation_not_found',
  'invitation_link_not_found',
  'already_member',
  'second_factor_wrong',
  'factor_not_found',
]

it('sends a valid request to every operation, which passes validation', async () => {
  for (const at of operations) {
    const { status, body } = await send(at, await makeCast(), { where: 'query', name: 'nowhere', listed: false }, '')
    const reached = status < 300 || EXPECTED.includes(body.code)
    assert.ok(reached, `${at.name}: ${JSON.stringify(body)}; teach goodValue what it needs`)
  }
})

describe('a hostile string in any position', () => {
  it('causes no 500, no partial write and no missing audit record', async () => {
    const failed: string[] = []
    let sent = 0
    for (const at of operations)
      for (const place of placesOf(at)) {
        let cast = await makeCast()
        const values = place.where === 'body' ? inBodies : inAddresses
        for (const [what, value] of Object.entries(values)) {
          const answer = await send(at, cast, place, value)
          sent++
          const shown = `${at.name} ${place.where} ${place.name}${place.listed ? '[]' : ''} ${what}`
          if (answer.status >= 500 || !isPublished(answer)) failed.push(`${shown}: ${JSON.stringify(answer.body)}`)
          if (isSpent(at, answer)) cast = await makeCast()
        }
      }
    assert.deepEqual(failed, [])
    assert.ok(sent > 500, String(sent))
    assert.deepEqual(await rowsWith(MARK), [])
    assert.deepEqual(
      service.logged.filter((line) => JSON.parse(line).level >= 50),
      [],
    )
  })

  /** Whether the request may have changed what the next one needs. */
  const isSpent = ({ method }: DocumentedOperation, { status }: Answer) =>
    (status < 300 && method !== 'GET') || status === 401

  const isPublished = ({ status, body }: Answer) =>
    status < 300
      ? body.success === true || typeof body === 'string'
      : typeof body.code === 'string' && body.statusCode === status

  it('stays a single value: repeated parameters and lists are refused', async () => {
    const { ann } = await makeCast()
    for (const { name, method, url, parameters } of operations)
      for (const { name: parameter, in: where } of parameters.filter((each) => each.in === 'query')) {
        for (const query of [`${parameter}=1&${parameter}=2`, `${parameter}[]=1`, `${parameter}[a]=1`]) {
          const { status } = await ann.api.send(method, `${url.replace(/\{\w+\}/g, ann.id)}?${query}`)
          assert.ok(status < 500, `${name} ${where} ${query}: ${status}`)
        }
      }
  })
})

/** The tables that contain a text. */
async function rowsWith(text: string): Promise<string[]> {
  const tables = await service.db.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  )
  const found = []
  for (const { name } of tables) {
    const rows = await service.db.query(`select t::text as row from ${name} t where position($1 in t::text) > 0`, [
      text,
    ])
    found.push(...rows.map(({ row }) => `${name}: ${row}`))
  }
  return found
}
