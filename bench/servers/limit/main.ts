import { randomUUID } from 'node:crypto'
import { hash as hashPassword, verify } from '@node-rs/argon2'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { createTokenPair, type TokenSource } from '../../../src/features/accounts/tokens.ts'
import { defaultHeaders } from '../../../src/http/headers.ts'
import { etagOf } from '../../../src/http/versions.ts'
import { cursorFor } from '../../../src/lib/cursors.ts'
import { newId } from '../../../src/lib/ids.ts'
import { keysFrom } from '../../../src/lib/keys.ts'
import { folded } from '../../../src/lib/text.ts'
import { readToken } from '../../../src/lib/tokens.ts'
import { type ContextRow, contextFrom, recordFrom } from './bodies.ts'
import { connect } from './connections.ts'
import * as reads from './reads.ts'
import { type Access, NotAllowed, requirePermission, tokenReader } from './tokens.ts'
import * as writes from './writes.ts'

// The limit: the least that could work. The token is verified, and session and permissions are read at each request;
// every read is one statement and every write one transaction that is sent at once; responses have the bytes and headers
// of the service. It has no validation, no separation of companies by the database, no limits, and no idempotency.

const { DATABASE_URL = '', APP_SECRET = '', PORT } = process.env
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** As the service allows no origins and exposes these headers. */
const ORIGIN_HEADERS = {
  vary: 'Origin',
  'access-control-expose-headers':
    'x-request-id, ratelimit, ratelimit-policy, retry-after, etag, idempotent-replayed, x-permissions-version, content-disposition',
}

const keys = keysFrom(APP_SECRET)
const readAccessToken = tokenReader(keys)
const database = await connect(DATABASE_URL)
const app = fastify({ genReqId: () => randomUUID() })
app.addHook('onRequest', async (request, reply) => {
  reply.headers({ ...defaultHeaders(request.id), ...ORIGIN_HEADERS })
})

const JSON_TYPE = 'application/json; charset=utf-8'
const send = (reply: FastifyReply, body: string) => reply.type(JSON_TYPE).send(body)
const companyOf = ({ headers }: FastifyRequest) => headers['x-company-id'] as string
const originOf = (request: FastifyRequest) => [request.ip, request.headers['user-agent'] ?? '', request.id]

app.get('/api/auth/me', async (request, reply) => {
  const { sub, sid } = readAccessToken(request)
  const [row] = await database.read<ContextRow>(reads.me, [sub, sid])
  if (!row) throw new NotAllowed(401)
  return send(reply, JSON.stringify({ success: true, data: contextFrom(row) }))
})

const DEEP_FROM = 200

app.get<{ Querystring: { page?: string; search?: string } }>('/api/companies/users', async (request, reply) => {
  const { sub, sid } = readAccessToken(request)
  const { page = '1', search } = request.query
  const offset = (Number(page) - 1) * 20
  const values = [sub, sid, companyOf(request), offset]
  const [found] = search
    ? await database.search(reads.foundMembers, [...values, `%${folded(search)}%`])
    : await database.read(offset < DEEP_FROM ? reads.members : reads.deepMembers, values)
  requirePermission(reply, found as Access, 'users:read')
  return send(reply, `{"success":true,"data":${found?.items},"total":${found?.total},"page":${page},"limit":20}`)
})

app.get('/api/companies/audit', async (request, reply) => {
  const { sub, sid } = readAccessToken(request)
  const companyId = companyOf(request)
  const rows = await database.read(reads.records, [sub, sid, companyId])
  try {
    requirePermission(reply, rows[0] as Access | undefined, 'audit:read')
  } catch (error) {
    const actor = [sub, '', '']
    await database.write([writes.recordRefusal, [newId(), companyId, ...actor, ...originOf(request), sid]])
    throw error
  }
  const items = rows.slice(0, 20).map(recordFrom)
  const last = items.at(-1)
  const list = ['audit', companyId, null, null, null, null, null, null, null]
  const nextCursor = rows.length > 20 && last ? cursorFor(keys, list, [last.created_at, last.id]) : null
  return send(
    reply,
    JSON.stringify({ success: true, data: items, nextCursor, hasNext: nextCursor !== null, limit: 20 }),
  )
})

app.patch<{ Params: { id: string }; Body: { phone: string } }>('/api/companies/users/:id', async (request, reply) => {
  const { sub, sid } = readAccessToken(request)
  const companyId = companyOf(request)
  const { params, body } = request
  const values = [sub, sid, companyId, params.id, body.phone, newId(), ...originOf(request)]
  const [found] = await database.write([writes.lockCompany, [companyId]], [writes.updateMember, values])
  requirePermission(reply, found as Access, 'users:update')
  reply.headers({ etag: etagOf([found?.member, found?.shown_at]), 'cache-control': 'private, no-cache' })
  return send(reply, `{"success":true,"data":${found?.member},"message":"Member saved."}`)
})

app.post<{ Body: { name: string; email: string } }>('/api/companies/users', async (request, reply) => {
  const { sub, sid } = readAccessToken(request)
  const companyId = companyOf(request)
  const { name, email } = request.body
  const [found] = await database.read(reads.mayAdd, [sub, sid, companyId])
  requirePermission(reply, found as Access | undefined, 'users:create')
  const hash = await hashPassword(randomUUID(), COST)
  const id = newId()
  const values = [sub, sid, companyId, id, name, folded(name), email, hash, newId(), newId(), ...originOf(request)]
  await database.write([writes.lockCompany, [companyId]], [writes.addMember, values])
  const added = JSON.stringify({ id, name, email, isNewUser: true })
  reply.code(201)
  return send(reply, `{"success":true,"data":${added},"message":"Account created. We emailed the temporary password."}`)
})

app.post<{ Body: { refreshToken: string } }>('/api/auth/refresh', async (request, reply) => {
  const claims = readToken(keys, 'rt+jwt', request.body.refreshToken)
  if (!claims) throw new NotAllowed(401)
  const [session] = await database.write<TokenSource & Record<string, unknown>>([
    writes.rotate,
    [claims.sid, claims.sub, claims.jti, newId()],
  ])
  if (!session) throw new NotAllowed(401)
  return send(reply, JSON.stringify({ success: true, data: createTokenPair(keys, session) }))
})

type SessionRow = TokenSource & ContextRow & { session_id: string }

app.post<{ Body: { email: string; password: string } }>('/api/auth/login', async (request, reply) => {
  const { email, password } = request.body
  const [known] = await database.read(writes.passwordOf, [email])
  if (!known || !(await verify(known.hash, password))) throw new NotAllowed(401)
  const values = [known.id, newId(), newId(), newId(), ...originOf(request)]
  const [row] = await database.write<SessionRow>([writes.createSession, values])
  if (!row) throw new NotAllowed(401)
  const pair = createTokenPair(keys, { ...row, id: row.session_id })
  return send(reply, JSON.stringify({ success: true, data: { ...contextFrom(row), ...pair } }))
})

app.post<{ Body: { refreshToken: string } }>('/api/auth/logout', async (request, reply) => {
  const { sub, sid } = readAccessToken(request)
  const claims = readToken(keys, 'rt+jwt', request.body.refreshToken)
  const sessions = claims ? [sid, claims.sid] : [sid]
  const [ended] = await database.write([writes.endSessions, [sub, sid, sessions, newId(), ...originOf(request)]])
  if (!ended) throw new NotAllowed(401)
  return send(reply, '{"success":true,"data":{},"message":"Signed out."}')
})

app.setErrorHandler(async (error, _request, reply) => {
  const refused = error instanceof NotAllowed ? error : new NotAllowed(500)
  if (refused.status === 500) console.error(error)
  return send(reply.code(refused.status), refused.body)
})
await app.listen({ host: '127.0.0.1', port: Number(PORT) })
process.once('SIGTERM', () => process.exit(0))
