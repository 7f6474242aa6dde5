import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../test/support/app.ts'
import type { Answer } from '../../test/support/client.ts'
import { addApp, confirmSignIn } from '../../test/support/factors.ts'
import { invitationToken, invite, registerInvited } from '../../test/support/invitations.ts'
import { startPasskey } from '../../test/support/passkeys.ts'
import { PASSWORD, signUp } from '../../test/support/people.ts'
import { Database, type Statement } from '../database/open.ts'
import { holderOf, onlyReads, type Scope } from '../database/statements.ts'
import { newId } from '../lib/ids.ts'

const service = await useTestApp()
const { client } = service

/**
 * Rows that no other request waits for; attempts of one address do, as many as there are turns of hashing.
 */
const WITHOUT_SHARE = ['password_attempts']

/** What writes without the share of a company, an account, a network or a secret, and so comes before all who have one. */
const unshared = new Set<string>()

const note = (scope: Scope, what: string) => {
  if (scope.role !== 'tenantry_worker' && holderOf(scope) === undefined) unshared.add(what)
}

const noteStatement = (scope: Scope, statement: Statement) => {
  if (!onlyReads(statement)) note(scope, statement.sql.trim())
}

/** In the database of the service. */
const { autocommit, query, write } = Database.prototype
Object.assign(service.database, {
  autocommit: (scope: Scope) => {
    const tx = autocommit.call(service.database, scope)
    const executor = tx.getExecutor() as unknown as { run: (statement: Statement) => Promise<unknown> }
    const { run } = executor
    executor.run = (statement) => {
      noteStatement(scope, statement)
      return run(statement)
    }
    return tx
  },
  query: (scope: Scope, statement: Statement) => {
    noteStatement(scope, statement)
    return query.call(service.database, scope, statement)
  },
  write: (scope: Scope, work: Parameters<typeof write>[1]) => {
    note(scope, `a transaction: ${work}`)
    return write.call(service.database, scope, work)
  },
})

async function must(answer: Promise<Answer>, status: number) {
  const { status: given, body } = await answer
  assert.equal(given, status, JSON.stringify(body))
  return body.data
}

it('every write of a request has a share of the connections, but those that wait for little', async () => {
  const ann = await signUp(client)
  const refresh = (refreshToken: string) => client.post('/auth/refresh', { refreshToken })
  await must(refresh(ann.refreshToken), 200)
  await service.db.query(`update sessions set rotated_at = now() - interval '1 minute' where id = $1`, [ann.sessionId])
  await must(refresh(ann.refreshToken), 401)

  const bob = await signUp(client)
  await must(client.post('/auth/login', { email: bob.email, password: 'Wrong-horse-7' }), 401)
  await must(client.post('/auth/login', { email: bob.email, password: PASSWORD }), 200)
  await must(client.post('/auth/forgot-password', { email: bob.email }), 200)
  const app = await addApp(service, bob)
  await must(confirmSignIn(client, bob, { code: await app.unusedCode() }), 200)
  await must(bob.api.post('/auth/step-up', { code: await app.unusedCode() }), 200)
  await startPasskey(service)

  const withKey = { headers: { 'idempotency-key': newId() } }
  const company = { name: 'Acme', taxId: 'T-1' }
  for (let time = 0; time < 2; time++) await must(bob.api.post('/companies', company, withKey), 201)
  const elsewhere = { headers: { 'idempotency-key': newId() } }
  await must(client.post('/auth/login', { email: bob.email, password: 'Wrong-horse-7' }, elsewhere), 401)

  const carl = await signUp(client)
  await must(registerInvited(service, await invitationToken(service, await invite(carl))), 201)
  await must(
    client.post('/auth/invitations/decline', { token: await invitationToken(service, await invite(carl)) }),
    200,
  )

  const tables = [...unshared].map((text) => /^(?:insert into|update|delete from) "?(\w+)/.exec(text)?.[1] ?? text)
  assert.deepEqual([...new Set(tables)].sort(), WITHOUT_SHARE)
})
