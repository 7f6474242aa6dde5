import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp, useTestApp } from '../../../test/support/app.ts'
import { addApp, challengeFor } from '../../../test/support/factors.ts'
import { addManagedMember } from '../../../test/support/members.ts'
import { addPasskey, startPasskey } from '../../../test/support/passkeys.ts'
import { PASSWORD, type Person, registration, signUp } from '../../../test/support/people.ts'

const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1'
const LAPTOP = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
const [HOME, OFFICE, ELSEWHERE] = ['192.0.2.1', '198.51.100.7', '203.0.113.9']

// Tests send requests from many networks, as through a proxy.
const service = await useTestApp({ TRUST_PROXY: 'loopback' })
const { client, db, mailbox } = service

const from = (network: string, device: string) =>
  client.with({ headers: { 'x-forwarded-for': network, 'user-agent': device } })
const atHome = () => signUp(from(HOME, PHONE))
const noticesTo = ({ email }: Pick<Person, 'email'>) => mailbox.to(email, 'new_sign_in')

async function login(network: string, device: string, { email }: Pick<Person, 'email'>, password = PASSWORD) {
  const answer = await from(network, device).post('/auth/login', { email, password })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return client.with({ token: answer.body.data.accessToken })
}

describe('a sign-in', () => {
  it('from a network and with a device that are both new is told by email, once', async () => {
    const ann = await atHome()
    await login(ELSEWHERE, LAPTOP, ann)
    const [notice, ...others] = await noticesTo(ann)
    assert.deepEqual(others, [])
    const year = new Date().getUTCFullYear()
    assert.match(
      notice?.text ?? '',
      new RegExp(`on \\w+ \\d+, ${year} at [^\\n]* UTC, from the address 203\\.0\\.113\\.9 with Firefox · Windows\\.`),
    )
    assert.match(notice?.text ?? '', /If this wasn’t you, .* Reset your password now/)
    await login(ELSEWHERE, LAPTOP, ann)
    assert.equal((await noticesTo(ann)).length, 1)
  })

  it('is not told of where the network or the device is known', async () => {
    const ann = await atHome()
    await login(OFFICE, PHONE, ann)
    await login(HOME, LAPTOP, ann)
    await login(OFFICE, 'curl/8.14.1', ann)
    assert.deepEqual(await noticesTo(ann), [])
  })

  it('is told of in the language and the time zone of the account, and repeats no advertisement', async () => {
    const bob = await signUp(from(HOME, PHONE), registration({ locale: 'pt-BR' }))
    await bob.api.put('/auth/profile', { timezone: 'America/Sao_Paulo' })
    await login(ELSEWHERE, 'evil.example/1', bob)
    const [notice] = await noticesTo(bob)
    assert.match(notice?.text ?? '', /GMT-3\), do endereço 203\.0\.113\.9 com um dispositivo desconhecido\./)
    assert.doesNotMatch(`${notice?.subject}${notice?.text}`, /evil/)
  })

  it('with a second factor is told of, and its password alone is not', async () => {
    const ann = await atHome()
    const app = await addApp(service, ann)
    const challenge = await challengeFor(from(ELSEWHERE, LAPTOP), ann)
    assert.deepEqual(await noticesTo(ann), [])
    const proof = { challenge, code: await app.unusedCode() }
    assert.equal((await from(ELSEWHERE, LAPTOP).post('/auth/login/second-factor', proof)).status, 200)
    assert.equal((await noticesTo(ann)).length, 1)
  })

  it('by a passkey is told of', async () => {
    const ann = await atHome()
    const { authenticator } = await addPasskey(service, ann)
    const { challenge, options } = await startPasskey(service)
    const proof = { challenge, credential: authenticator.get(options) }
    assert.equal((await from(ELSEWHERE, LAPTOP).post('/auth/passkeys/login', proof)).status, 200)
    assert.equal((await noticesTo(ann)).length, 1)
  })

  it('is not told of where it is the first one of a new account, and is where the account was unused for long', async () => {
    const ann = await atHome()
    const forget = async () => {
      await db.query('delete from sessions where account_id = $1', [ann.id])
      await db.query('delete from known_networks where account_id = $1', [ann.id])
    }
    await forget()
    await login(ELSEWHERE, LAPTOP, ann)
    assert.deepEqual(await noticesTo(ann), [])

    await forget()
    await db.query(`update accounts set created_at = now() - interval '31 days' where id = $1`, [ann.id])
    await login(ELSEWHERE, LAPTOP, ann)
    assert.equal((await noticesTo(ann)).length, 1)
  })

  it('with a temporary password is not told of, but that another one is chosen', async () => {
    const ann = await atHome()
    const bob = await addManagedMember(service, ann)
    const { body } = await ann.api.post(`/companies/users/${bob.id}/reset-password`)
    const currentPassword = body.data.temporaryPassword
    const limited = await login(ELSEWHERE, LAPTOP, bob, currentPassword)
    assert.deepEqual(await noticesTo(bob), [])
    const told = (await mailbox.to(bob.email, 'password_changed')).length
    await limited.post('/auth/change-temporary-password', { currentPassword, newPassword: 'Another-horse-7' })
    assert.equal((await mailbox.to(bob.email, 'password_changed')).length, told + 1)
  })

  it('is told of again once the device and the network were shut out', async () => {
    const ann = await atHome()
    const thief = await login(ELSEWHERE, LAPTOP, ann)
    const newPassword = 'Another-horse-7'
    const changed = await from(HOME, PHONE)
      .with({ token: ann.accessToken })
      .post('/auth/change-password', { currentPassword: PASSWORD, newPassword })
    assert.equal(changed.status, 200)
    assert.equal((await thief.get('/auth/me')).status, 401)
    await login(HOME, PHONE, ann, newPassword)
    assert.equal((await noticesTo(ann)).length, 1)
    await login(ELSEWHERE, LAPTOP, ann, newPassword)
    assert.equal((await noticesTo(ann)).length, 2)
  })

  it('with a device that says nothing of itself is told of for its network', async () => {
    const ann = await signUp(from(HOME, ''))
    await login(ELSEWHERE, '', ann)
    assert.match((await noticesTo(ann))[0]?.text ?? '', /with an unknown device\./)
  })
})

it('A sixth new sign-in of an hour is not told of, and opens a session all the same', async () => {
  const limits = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000000', TRUST_PROXY: 'loopback' }
  const bounded = await startTestApp(limits, db)
  try {
    const ann = await atHome()
    for (let i = 1; i <= 6; i++) {
      const headers = { 'x-forwarded-for': `203.0.113.${i}`, 'user-agent': `Device${i}/1` }
      const answer = await bounded.client.post('/auth/login', { email: ann.email, password: PASSWORD }, { headers })
      assert.equal(answer.status, 200)
    }
    const told = await db.query(`select id from emails where kind = 'new_sign_in' and recipient_email = $1`, [
      ann.email,
    ])
    assert.equal(told.length, 5)
  } finally {
    await bounded.close()
  }
})
