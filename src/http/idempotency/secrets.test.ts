import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import type { Answer } from '../../../test/support/client.ts'
import { addMember, emailedPassword, join } from '../../../test/support/members.ts'
import {
  anyEmail,
  assertProblem,
  PASSWORD,
  type Person,
  registration,
  signIn,
  signUp,
} from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestApp()

const NEW = 'Another-horse-8'
const isReplay = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'
const options = (key = newId()) => ({ headers: { 'idempotency-key': key } })

/** Signs in, and returns a function that repeats the request. */
async function signInWithKey(email: string, password = PASSWORD) {
  const withKey = options()
  const again = () => service.client.post('/auth/login', { email, password }, withKey)
  const first = await again()
  assert.equal(first.status, 200, JSON.stringify(first.body))
  const { accessToken, refreshToken } = first.body.data as Record<'accessToken' | 'refreshToken', string>
  return { again, first, accessToken, refreshToken, api: service.client.with({ token: accessToken }) }
}

const sessionsOf = async (email: string) => {
  const rows = await service.db.query(
    `select sessions.id from sessions join accounts on accounts.id = account_id where email = $1`,
    [email],
  )
  return rows.length
}

async function changeAddress({ email, api }: Pick<Person, 'email' | 'api'>): Promise<string> {
  const newEmail = anyEmail()
  await api.put('/auth/profile', { email: newEmail })
  const token = await service.mailbox.token(newEmail, 'change_email')
  assert.equal((await service.client.post('/auth/verify-email', { token })).status, 200, email)
  return newEmail
}

const letTimePass = (minutes: number) =>
  service.db.query('update idempotent_requests set created_at = created_at - make_interval(mins => $1)', [minutes])

describe('a stored response with tokens', () => {
  it('is invalidated by a password change, also by its own session, which continues', async () => {
    const ann = await signUp(service.client)
    const { again, accessToken, refreshToken, api } = await signInWithKey(ann.email)
    assert.ok(isReplay(await again()))
    const change = { currentPassword: PASSWORD, newPassword: NEW }
    assert.equal((await api.post('/auth/change-password', change)).status, 200)

    assertProblem(await again(), 401, 'credentials_wrong')
    assert.equal((await service.client.get('/auth/me', { token: accessToken })).status, 200)
    assert.equal((await service.client.post('/auth/refresh', { refreshToken })).status, 200)
  })

  it('of a sign-up is invalidated by a change of password or address', async () => {
    for (const change of [
      ({ api }: Person) => api.post('/auth/change-password', { currentPassword: PASSWORD, newPassword: NEW }),
      changeAddress,
    ]) {
      const [details, withKey] = [registration(), options()]
      const again = () => service.client.post('/auth/register', details, withKey)
      const { accessToken } = (await again()).body.data
      assert.ok(isReplay(await again()))
      const api = service.client.with({ token: accessToken })
      await change({ email: details.email, api } as Person)

      const late = await again()
      assert.deepEqual([late.status, isReplay(late), late.body.data], [409, false, undefined])
      assert.equal((await service.client.get('/auth/me', { token: accessToken })).status, 200)
    }
  })

  it('is invalidated by a change of address', async () => {
    const ann = await signUp(service.client)
    const { again, api } = await signInWithKey(ann.email)
    await changeAddress({ email: ann.email, api })
    assertProblem(await again(), 401, 'credentials_wrong')
  })

  it('is invalidated with its temporary password', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    const mail = () => ann.api.post(`/companies/users/${bob.id}/reset-password-email`)
    await mail()
    const first = await signInWithKey(bob.email, await emailedPassword(service, bob.email, ['password_reset']))
    const own = await signInWithKey(bob.email)
    // Using the chosen password has ended the temporary one.
    assertProblem(await first.again(), 401, 'credentials_wrong')
    assert.ok(isReplay(await own.again()))

    await mail()
    const second = await signInWithKey(bob.email, await emailedPassword(service, bob.email, ['password_reset']))
    assert.ok(isReplay(await second.again()))
    await mail()
    assertProblem(await second.again(), 401, 'credentials_wrong')
  })

  it('stays valid when an administrator emails an additional temporary password', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    const { again, first } = await signInWithKey(bob.email)
    assert.equal((await ann.api.post(`/companies/users/${bob.id}/reset-password-email`)).status, 200)
    assert.deepEqual((await again()).body, first.body)
  })

  it('causes no deadlock of sign-ins, because the account is locked before its passwords', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    await ann.api.post(`/companies/users/${bob.id}/reset-password-email`)
    await service.db.query('begin')
    await service.db.query('select from accounts where id = $1 for no key update', [bob.id])
    const under = service.client.post('/auth/login', { email: bob.email, password: PASSWORD })
    await service.db.waitForLock()
    const rows = await service.db.query('select from passwords where account_id = $1 for update nowait', [bob.id])
    await service.db.query('commit')
    assert.deepEqual([rows.length, (await under).status], [2, 200])
  })

  it('is invalidated with its session', async () => {
    const ann = await signUp(service.client)
    const { again, api, refreshToken } = await signInWithKey(ann.email)
    await api.post('/auth/logout', { refreshToken })
    const renewed = await again()
    assert.deepEqual([renewed.status, isReplay(renewed)], [200, false])
    assert.notEqual(renewed.body.data.refreshToken, refreshToken)
  })

  it('expires after ten minutes, even with an active session', async () => {
    for (const ages of [
      'update sessions set rotated_at = rotated_at - make_interval(mins => $1)',
      'update idempotent_requests set created_at = created_at - make_interval(mins => $1)',
    ]) {
      const ann = await signUp(service.client)
      const { again } = await signInWithKey(ann.email)
      await service.db.query(ages, [9])
      assert.ok(isReplay(await again()))
      await service.db.query(ages, [2])
      const renewed = await again()
      assert.deepEqual([renewed.status, isReplay(renewed)], [200, false])
      assert.ok(isReplay(await again()))
    }
  })

  it('that is invalid is created again once with twenty parallel requests', async () => {
    const ann = await signUp(service.client)
    const { again } = await signInWithKey(ann.email)
    await letTimePass(11)
    const answers = await Promise.all(Array.from({ length: 20 }, again))
    for (const answer of answers) if (answer.status !== 200) assertProblem(answer, 409, 'request_in_progress')
    assert.equal(answers.filter((answer) => answer.status === 200 && !isReplay(answer)).length, 1)
    assert.equal(await sessionsOf(ann.email), 3)
  })

  it('is not returned when the address changes while the password is checked', async () => {
    const ann = await signUp(service.client)
    const newEmail = anyEmail()
    await service.db.query('begin')
    await service.db.query('select from accounts where id = $1 for no key update', [ann.id])
    const under = service.client.post('/auth/login', { email: ann.email, password: PASSWORD }, options())
    await service.db.waitForLock()
    await service.db.query('update accounts set email = $2 where id = $1', [ann.id, newEmail])
    await service.db.query('commit')
    assertProblem(await under, 401, 'credentials_wrong')
    assert.equal(await sessionsOf(newEmail), 1)
    assert.equal((await signIn(service.client, newEmail)).id, ann.id)
  })

  it('is not created before a change that started earlier is committed, so it is valid afterwards', async () => {
    const ann = await signUp(service.client)
    await service.db.query('begin')
    await service.db.query('update accounts set credentials_version = credentials_version + 1 where id = $1', [ann.id])
    const under = signInWithKey(ann.email)
    await service.db.waitForLock()
    await service.db.query('commit')
    const { first, again } = await under
    const repeated = await again()
    assert.deepEqual([isReplay(repeated), repeated.body], [true, first.body])
  })
})

describe('a temporary password that was shown', () => {
  /** Resets the password of a new managed account, and returns a function that repeats the request. */
  async function resetWithKey() {
    const ann = await signUp(service.client)
    const bob = await addMember(ann)
    const path = `/companies/users/${bob.id}/reset-password`
    const withKey = options()
    const again = () => ann.api.post(path, undefined, withKey)
    const first = await again()
    assert.equal(first.status, 200, JSON.stringify(first.body))
    const reset = () => ann.api.post(path)
    return { bob, again, first, reset, shown: first.body.data.temporaryPassword as string }
  }

  it('is shown again to the same request while it is valid, for at most ten minutes', async () => {
    const { bob, again, first, shown } = await resetWithKey()
    assert.deepEqual((await again()).body, first.body)
    await letTimePass(9)
    assert.deepEqual((await again()).body, first.body)
    await letTimePass(2)
    assertProblem(await again(), 409, 'idempotent_response_expired')
    assert.equal((await signIn(service.client, bob.email, shown)).id, bob.id)
  })

  it('is neither shown nor replaced once the account has chosen another one', async () => {
    const { bob, again, shown } = await resetWithKey()
    const session = await signIn(service.client, bob.email, shown)
    const change = { currentPassword: shown, newPassword: NEW }
    assert.equal((await session.api.post('/auth/change-temporary-password', change)).status, 200)
    assertProblem(await again(), 409, 'idempotent_response_expired')
    assert.equal((await signIn(service.client, bob.email, NEW)).id, bob.id)
    assert.equal((await session.api.get('/auth/me')).status, 200)
  })

  it('is not shown once it was replaced or has expired', async () => {
    const replaced = await resetWithKey()
    const second = (await replaced.reset()).body.data.temporaryPassword
    assertProblem(await replaced.again(), 409, 'idempotent_response_expired')
    assert.equal((await signIn(service.client, replaced.bob.email, second)).id, replaced.bob.id)

    const expired = await resetWithKey()
    await service.db.query('update passwords set expires_at = now() where account_id = $1', [expired.bob.id])
    assertProblem(await expired.again(), 409, 'idempotent_response_expired')
  })
})
