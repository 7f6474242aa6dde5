import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { confirmFactor } from '../../../test/support/factors.ts'
import { join } from '../../../test/support/members.ts'
import { assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import type { RequestInfo } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount } from '../../database/scopes.ts'
import { newId } from '../../lib/ids.ts'
import { provedPassword } from '../accounts/proofs.ts'
import { createSession } from '../accounts/sessions.ts'

const service = await useTestApp()
const { db } = service

const sessionsOf = ({ id }: Person) => db.query('select id from sessions where account_id = $1', [id])
const columnsOf = async ({ sessionId }: Person) =>
  (await db.query('select authenticated_at, second_factor_at, methods from sessions where id = $1', [sessionId]))[0]

describe('a session', () => {
  it('says how it was opened, also after its tokens were refreshed', async () => {
    const ann = await signUp(service.client)
    const opened = await columnsOf(ann)
    assert.deepEqual([opened?.second_factor_at, opened?.methods], [null, ['pwd']])
    await db.query(
      `update sessions set second_factor_at = now() - interval '1 hour', authenticated_at = now() - interval '2 hours',
         methods = '{pwd,otp}' where id = $1`,
      [ann.sessionId],
    )
    const before = await columnsOf(ann)
    assert.equal((await service.client.post('/auth/refresh', { refreshToken: ann.refreshToken })).status, 200)
    assert.deepEqual(await columnsOf(ann), before)
  })

  it('is not opened by the password alone for an account with a second factor', async () => {
    const ann = await signUp(service.client)
    await confirmFactor(db, ann.id)
    const before = await sessionsOf(ann)
    for (let i = 0; i < 12; i++)
      assertProblem(
        await service.client.post('/auth/login', { email: ann.email, password: PASSWORD }),
        401,
        'second_factor_required',
      )
    assertProblem(
      await service.client.post('/auth/login', { email: ann.email, password: 'Wrong-horse-7' }),
      401,
      'credentials_wrong',
    )
    assert.deepEqual(await sessionsOf(ann), before)
  })

  it('is not opened either when the factor is confirmed while the password is verified', async () => {
    const ann = await signUp(service.client)
    const before = await sessionsOf(ann)
    await db.query('begin')
    await db.query('select from accounts where id = $1 for no key update', [ann.id])
    const sent = service.client.post('/auth/login', { email: ann.email, password: PASSWORD })
    await db.waitForLock()
    await confirmFactor(db, ann.id)
    await db.query('commit')
    const answer = await sent
    assertProblem(answer, 401, 'second_factor_required')
    assert.deepEqual(answer.body.challenge?.methods, ['totp'])
    assert.deepEqual(await sessionsOf(ann), before)
  })

  it('is opened when the last factor is removed while the password is verified', async () => {
    const ann = await signUp(service.client)
    const factorId = await confirmFactor(db, ann.id)
    await db.query('begin')
    await db.query('select from accounts where id = $1 for no key update', [ann.id])
    const sent = service.client.post('/auth/login', { email: ann.email, password: PASSWORD })
    await db.waitForLock()
    await db.query('delete from second_factors where id = $1', [factorId])
    await db.query('commit')
    const { status, body } = await sent
    assert.deepEqual([status, body.data?.user.second_factor], [200, false], JSON.stringify(body))
  })

  it('takes more than a password to create, for the compiler as well as for the database', async () => {
    const ann = await signUp(service.client)
    const forget = (tx: Tx, caller: RequestInfo) =>
      // @ts-expect-error: a first factor is no proof.
      createSession(tx, ann.id, caller, provedPassword({ kind: 'chosen' }, null))
    await confirmFactor(db, ann.id)
    const caller = { ip: '192.0.2.1', network: '192.0.2.1/32', userAgent: '' } as RequestInfo
    await assert.rejects(
      service.database.write(asAccount(ann.id), (tx) => forget(tx, caller)),
      { code: '53F2A', constraint: 'sessions_second_factor' },
    )
  })
})

describe('an account', () => {
  const stateOf = async ({ id }: Person) =>
    (
      await db.query('select has_second_factor, credentials_version::int as version from accounts where id = $1', [id])
    )[0]

  it('has a second factor from its confirmation to the removal of the last one, and each change counts', async () => {
    const ann = await signUp(service.client)
    const { version } = (await stateOf(ann)) as { version: number }
    const pending = newId()
    await db.query(`insert into second_factors (id, account_id, kind, secret) values ($1, $2, 'totp', 'x')`, [
      pending,
      ann.id,
    ])
    assert.deepEqual(await stateOf(ann), { has_second_factor: false, version })
    await db.query('update second_factors set confirmed_at = now() where id = $1', [pending])
    assert.deepEqual(await stateOf(ann), { has_second_factor: true, version: version + 1 })
    const other = await confirmFactor(db, ann.id)
    assert.deepEqual(await stateOf(ann), { has_second_factor: true, version: version + 2 })
    await db.query('update second_factors set last_used_at = now() where id = $1', [pending])
    await db.query('delete from second_factors where id = $1', [pending])
    assert.deepEqual(await stateOf(ann), { has_second_factor: true, version: version + 3 })
    await db.query('delete from second_factors where id = $1', [other])
    assert.deepEqual(await stateOf(ann), { has_second_factor: false, version: version + 4 })
  })
})

describe('a route for a fresh session', () => {
  const age = (person: Person, column: 'second_factor_at' | 'authenticated_at', seconds: number) =>
    db.query(`update sessions set ${column} = now() - make_interval(secs => $1) where id = $2`, [
      seconds,
      person.sessionId,
    ])
  const deleteCompany = ({ api, company }: Person) => api.delete(`/companies/${company.id}`)

  it('asks an account with a second factor for one of the last ten minutes, in this session', async () => {
    const ann = await signUp(service.client)
    const other = await signIn(service.client, ann.email)
    await confirmFactor(db, ann.id)
    await age(other, 'second_factor_at', 1)
    const refused = await deleteCompany(ann)
    assertProblem(refused, 403, 'reauthentication_required')
    assert.deepEqual(refused.body.methods, ['totp'])
    await db.query(`insert into recovery_codes (account_id, hash) values ($1, 'x')`, [ann.id])
    assert.deepEqual((await deleteCompany(ann)).body.methods, ['totp', 'recovery_code'])

    await age(ann, 'second_factor_at', 600)
    assertProblem(await deleteCompany(ann), 403, 'reauthentication_required')
    await age(ann, 'second_factor_at', 590)
    assert.equal((await deleteCompany(ann)).status, 200)
  })

  it('asks an account without one for nothing where only a second factor is asked for', async () => {
    const ann = await signUp(service.client)
    await age(ann, 'authenticated_at', 86_400)
    assert.equal((await deleteCompany(ann)).status, 200)
  })

  it('refuses after the permission and before the rest', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    await confirmFactor(db, bob.id)
    const send = (api: Person['api']) =>
      api.delete(`/companies/${ann.company.id}`, undefined, { headers: { 'if-match': '"x"' } })
    assertProblem(await send(bob.api), 403, 'permission_missing')
    await confirmFactor(db, ann.id)
    assertProblem(await send(ann.api), 403, 'reauthentication_required')
  })

  it('asks again under the lock of the company', async () => {
    const ann = await signUp(service.client)
    await db.query('begin')
    await db.query('select from companies where id = $1 for update', [ann.company.id])
    const sent = deleteCompany(ann)
    await db.waitForLock()
    await confirmFactor(db, ann.id)
    await db.query('commit')
    const refused = await sent
    assertProblem(refused, 403, 'reauthentication_required')
    assert.deepEqual(refused.body.methods, ['totp'])
    assert.equal(
      (await db.query('select deleted_at from companies where id = $1', [ann.company.id]))[0]?.deleted_at,
      null,
    )
  })

  it('leaves an audit record of the refusal', async () => {
    const ann = await signUp(service.client)
    await confirmFactor(db, ann.id)
    assertProblem(await deleteCompany(ann), 403, 'reauthentication_required')
    const [record] = (await ann.api.get('/companies/audit?action=companies.delete')).body.data
    assert.equal(record.outcome, 'reauthentication_required')
  })
})
