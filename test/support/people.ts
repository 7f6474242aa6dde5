import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Client } from './client.ts'

export const PASSWORD = 'Correct-horse-7'

/** A signed-up account with its first company. */
export interface Person {
  id: string
  email: string
  name: string
  accessToken: string
  refreshToken: string
  sessionId: string
  company: { id: string; name: string; slug: string }
  /** Sends requests with this person's token and company. */
  api: Client
}

export const anyEmail = () => `person-${randomBytes(6).toString('hex')}@example.com`

type Registration = Record<'email' | 'password' | 'name' | 'companyName' | 'taxId', string> & {
  slug?: string
  locale?: string | null
}

/** The body of a sign-up. */
export function registration(details: Partial<Registration> = {}): Registration {
  const id = randomBytes(6).toString('hex')
  return {
    email: `p-${id}@example.com`,
    password: PASSWORD,
    name: `Person ${spelled(id)}`,
    companyName: `Company ${spelled(id)}`,
    taxId: `T-${id}`,
    ...details,
  }
}

/** Without digits: emails repeat no name that reads like a number to call. */
const spelled = (hex: string) => hex.replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)] as string)

export async function signUp(client: Client, details: Partial<Registration> = {}): Promise<Person> {
  const answer = await client.post('/auth/register', registration(details))
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return personFrom(client, answer.body.data)
}

export async function signIn(client: Client, email: string, password: string = PASSWORD): Promise<Person> {
  const answer = await client.post('/auth/login', { email, password })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return personFrom(client, answer.body.data)
}

// biome-ignore lint/suspicious/noExplicitAny: an answer, as a client sees it.
function personFrom(client: Client, data: any): Person {
  const { user, accessToken, refreshToken, tenants } = data
  const api = client.with({ token: accessToken, company: tenants[0]?.id })
  const { sid } = JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url').toString())
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    accessToken,
    refreshToken,
    sessionId: sid,
    company: tenants[0],
    api,
  }
}

/** Asserts a refusal by its status and code, in the published shape. */
export function assertProblem(
  answer: { status: number; body: Record<string, unknown> },
  status: number,
  code: string,
): void {
  assert.deepEqual({ status: answer.status, code: answer.body.code }, { status, code }, JSON.stringify(answer.body))
  assert.equal(answer.body.statusCode, status)
  assert.equal(typeof answer.body.message, 'string')
  assert.equal(typeof answer.body.error, 'string')
}
