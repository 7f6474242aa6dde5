import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { linkIdFrom } from '../src/lib/secrets.ts'
import { useTestApp } from './support/app.ts'
import { names } from './support/catalogue.ts'
import { type DocumentedOperation, operationsOf } from './support/documents.ts'
import { addApp, challengeFor } from './support/factors.ts'
import { addPasskey } from './support/passkeys.ts'
import { anyEmail, PASSWORD, type Person, registration, signIn, signUp } from './support/people.ts'

// Every door that opens a session, tried with everything but the second factor of an account that has one.

const service = await useTestApp()
const { client, db } = service
const operations = operationsOf(service.document)

/** Operations whose answer has an access token, wherever in the answer it is. */
const doors = operations.filter(({ responses }) =>
  JSON.stringify(resolved(responses[200] ?? responses[201])).includes('"accessToken"'),
)

/** With the components that it refers to. */
function resolved(part: unknown, depth = 0): unknown {
  if (depth > 12 || typeof part !== 'object' || part === null) return part
  const { $ref } = part as { $ref?: string }
  if ($ref) {
    const [kind, name] = $ref.split('/').slice(2) as [string, string]
    const { components } = service.document as { components: Record<string, Record<string, unknown>> }
    return resolved(components[kind]?.[name], depth + 1)
  }
  return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, resolved(each, depth + 1)]))
}

interface Enrolled {
  ann: Person
  /** A session from before the factor. */
  before: Person
  challenge: string
}

const stranger = await addPasskey(service, await signUp(client))
const credentialFor = (challenge: string) => stranger.authenticator.get({ challenge, rpId: 'app.example.com' })

/** By operation: what a thief sends who has the password, an older session and a challenge, but no factor. */
const attempts: Record<string, (enrolled: Enrolled) => object[]> = {
  register: ({ ann }) => [registration({ email: ann.email }), registration({ email: ann.email.toUpperCase() })],
  signIn: ({ ann }) => [
    { email: ann.email, password: PASSWORD },
    { email: ann.email, password: PASSWORD, code: '000000', recoveryCode: 'x' },
  ],
  confirmSignIn: ({ challenge, ann, before }) =>
    [challenge, ann.accessToken, before.refreshToken, 'x'].flatMap((token) => [
      { challenge: token, code: '000000' },
      { challenge: token, recoveryCode: 'AAAA-AAAA-AAAA-AAAA' },
      { challenge: token, code: '000000', currentPassword: PASSWORD },
    ]),
  registerInvited: ({ challenge, ann }) => [{ token: challenge, email: ann.email, name: 'Ann', password: PASSWORD }],
  // With the passkey of another account, and the challenge of a sign-in with a password.
  signInWithPasskey: ({ challenge }) => [
    { challenge, credential: credentialFor(challenge) },
    { challenge: 'x', credential: credentialFor('x') },
  ],
  refreshTokens: ({ challenge, before }) => [
    { refreshToken: challenge },
    { refreshToken: before.accessToken },
    { refreshToken: before.refreshToken },
  ],
}

/** Of no passkey at all. */
async function enroll(): Promise<Enrolled> {
  const ann = await signUp(client)
  const before = await signIn(client, ann.email)
  await addApp(service, ann)
  await db.query('update second_factors set last_step = 0 where account_id = $1', [ann.id])
  return { ann, before, challenge: await challengeFor(client, ann) }
}

const sessionsOf = (id: string) =>
  db.query('select id, second_factor_at from sessions where account_id = $1 order by id', [id])

describe('every door', () => {
  it('is covered by this test', () => {
    assert.deepEqual(doors.map(({ operationId }) => operationId).sort(), Object.keys(attempts).sort())
  })

  for (const door of doors) {
    it(`stays shut without the second factor: ${door.operationId}`, async () => {
      const enrolled = await enroll()
      const sessions = await sessionsOf(enrolled.ann.id)
      for (const body of attempts[door.operationId]?.(enrolled) ?? []) {
        const { status, body: answer } = await client.send(door.method, door.url.replace('/api', ''), body)
        // An older session may be continued, at its own level.
        if (door.operationId === 'refreshTokens' && status === 200) {
          const stale = await client.post('/auth/factors/recovery-codes', {}, { token: answer.data.accessToken })
          assert.deepEqual([stale.status, stale.body.code], [403, 'reauthentication_required'])
        } else assert.ok(status >= 400 && status < 500, `${status} ${JSON.stringify(body)}`)
      }
      assert.deepEqual(await sessionsOf(enrolled.ann.id), sessions)
    })
  }
})

/** Attempts and refusals are counted and recorded; the last ones are of routes that answer everybody alike. */
const WRITTEN_BY_REFUSALS = [
  ...['audit_records', 'password_attempts', 'second_factor_attempts', 'request_counts'],
  ...['challenges', 'emails', 'link_requests'],
]

describe('a challenge', () => {
  /** Every row of every table, except of those that also count or record what was refused. */
  async function rows(): Promise<Record<string, unknown>> {
    const tables = await names(
      db,
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
         and relname <> all ($1) order by 1`,
      [WRITTEN_BY_REFUSALS],
    )
    const found: Record<string, unknown> = {}
    for (const table of tables)
      found[table] = (await db.query(`select to_jsonb(t) as row from ${table} t order by t::text`)).map(
        ({ row }) => row,
      )
    return found
  }

  /** As an access token, as a refresh token in its cookie, and in the body alone. */
  const placesOf = (challenge: string, company: string) => [
    { token: challenge, company },
    {
      headers: {
        cookie: `__Host-tenantry_refresh_token=${challenge}`,
        'x-session': 'cookie',
        origin: 'https://app.example.com',
      },
    },
    {},
  ]

  it('opens no route of the document, as an access token, a refresh token or the token of a link', async () => {
    const { ann, challenge } = await enroll()
    const before = await rows()
    const isAnswered = new Set<string>()
    for (const operation of operations) {
      const path = operation.url.replace(/\{\w+\}/g, ann.company.id)
      for (const options of placesOf(challenge, ann.company.id)) {
        const { refreshToken, ...body } = bodyOf(operation, challenge) ?? {}
        const inBody = 'headers' in options ? body : { refreshToken, ...body }
        const sent = operation.method === 'GET' ? undefined : inBody
        const { status } = await client.send(operation.method, path, sent, options)
        const isOpen = operation.security.length === 0
        if (!isOpen) assert.equal(status, 401, operation.name)
        else if (status < 300) isAnswered.add(operation.operationId)
        else assert.ok([400, 401].includes(status), `${operation.name}: ${status}`)
      }
    }
    // Public routes that answer everybody alike.
    assert.deepEqual([...isAnswered].sort(), [
      'getHealth',
      'getReadiness',
      'requestPasswordReset',
      'resendConfirmation',
      'startPasskeySignIn',
    ])
    assert.deepEqual(await rows(), before)
    assert.equal(linkIdFrom(service.keys, challenge), undefined)
  })

  /** Every field that is a token has the challenge in it. */
  function bodyOf({ requestBody }: DocumentedOperation, challenge: string): Record<string, unknown> | undefined {
    const example = requestBody?.content['application/json']?.example as Record<string, unknown> | undefined
    if (!example) return undefined
    const fields = Object.entries(example).map(([name, value]) => [name, /token$/i.test(name) ? challenge : value])
    return {
      ...Object.fromEntries(fields),
      ...('email' in example && { email: anyEmail() }),
      ...withoutSignUp(example),
    }
  }

  /** A sign-up would succeed, and has nothing to do with the challenge. */
  const withoutSignUp = (example: object) => ('companyName' in example ? { password: 'short' } : {})
})
