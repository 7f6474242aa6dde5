import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { Authenticator } from '../../../test/support/authenticator.ts'
import { names } from '../../../test/support/catalogue.ts'
import { challengeFor, signUpVerified } from '../../../test/support/factors.ts'
import { challengeForPasskey, startAdding, startPasskey } from '../../../test/support/passkeys.ts'
import { fromBase32, STANDARD } from '../../lib/base32.ts'
import { newId } from '../../lib/ids.ts'
import { totpCode, totpStepAt } from '../../lib/totp.ts'

// A copy of everything that the service keeps and logs, after each thing that can be done with second factors.

const service = await useTestApp()
const { client, db } = service

/** Kept for retries, as far as it may be. */
const retried = () => ({ headers: { 'idempotency-key': newId() } })

it('A copy of the database, of the log and of the audit log holds no code, no secret, and nothing that was signed', async () => {
  const ann = await signUpVerified(service)
  const codes: string[] = []
  const texts: string[] = []
  const send = async (post: typeof client.post, path: string, body: object, expected: number) => {
    const answer = await post(path, body, retried())
    assert.equal(answer.status, expected, `${path}: ${JSON.stringify(answer.body)}`)
    return answer.body.data
  }

  const { id, secret, uri } = await send(ann.api.post, '/auth/factors/totp', {}, 201)
  const codeOf = async (distance = 0) => {
    await db.query('update second_factors set last_step = 0 where id = $1', [id])
    const code = totpCode(secret, totpStepAt(Date.now()) + distance)
    codes.push(code)
    return { code }
  }
  const confirm = `/auth/factors/totp/${id}/confirm`
  await send(ann.api.post, confirm, await codeOf(9), 401)
  const { recoveryCodes: former } = await send(ann.api.post, confirm, await codeOf(), 200)
  const { recoveryCodes } = await send(ann.api.post, '/auth/factors/recovery-codes', {}, 201)

  const authenticator = new Authenticator()
  const added = await startAdding(ann)
  const created = authenticator.create(added.options)
  await send(ann.api.post, '/auth/factors/passkeys', { challenge: added.challenge, credential: created }, 201)
  const signed = (options: Parameters<Authenticator['get']>[0], isVerified: boolean) => {
    const credential = authenticator.get(options, { isVerified })
    texts.push(credential.response.signature, credential.response.clientDataJSON)
    return credential
  }
  for (const [isRight, status] of [
    [false, 401],
    [true, 200],
  ] as const) {
    const recovered = { recoveryCode: isRight ? recoveryCodes[0] : former[0] }
    for (const answer of [await codeOf(isRight ? 0 : 9), recovered]) {
      const challenge = await challengeFor(client, ann)
      texts.push(challenge)
      await send(client.post, '/auth/login/second-factor', { challenge, ...answer }, status)
    }
    const { token, passkeyOptions } = await challengeForPasskey(service, ann)
    const second = { challenge: token, credential: signed(passkeyOptions, isRight) }
    await send(client.post, '/auth/login/second-factor', second, status)
    const { challenge, options } = await startPasskey(service)
    const alone = { challenge, credential: signed(options, isRight) }
    await send(client.post, '/auth/passkeys/login', alone, status)
    await send(ann.api.post, '/auth/step-up', await codeOf(isRight ? 0 : 9), status)
    const stepUp = (await ann.api.post('/auth/step-up/options')).body.data
    const again = { challenge: stepUp.challenge, credential: signed(stepUp.options, isRight) }
    await send(ann.api.post, '/auth/step-up', again, status)
    texts.push(token, challenge, stepUp.challenge)
  }

  const key = fromBase32(secret, STANDARD) as Buffer
  const all = [...former, ...recoveryCodes] as string[]
  texts.push(
    secret,
    uri,
    encodeURIComponent(uri),
    key.toString('hex'),
    key.toString('base64'),
    key.toString('base64url'),
  )
  texts.push(...all, ...all.map((code) => code.replaceAll('-', '')))
  const ids = [created.id, Buffer.from(created.id, 'base64url').toString('hex')]
  const tables = await names(
    db,
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  )
  for (const table of tables) {
    const stored = (await db.query(`select t::text as text from ${table} t`)).map(({ text }) => text).join('\n')
    assertHoldsNone(stored, table === 'second_factors' ? texts : [...texts, ...ids], table)
    if (table === 'audit_records') assertHoldsNoCode(stored, codes)
  }
  const log = service.logged.join('\n')
  for (const path of ['login/second-factor', 'passkeys/login', 'step-up']) assert.ok(log.includes(path), path)
  assertHoldsNone(log, [...texts, ...ids], 'the log')
  assertHoldsNoCode(log, codes)
})

/** Neither as it is, in whatever case, nor as the bytes of a column. */
function assertHoldsNone(stored: string, needles: string[], what: string): void {
  const text = stored.toLowerCase()
  for (const needle of needles)
    for (const form of [needle.toLowerCase(), Buffer.from(needle).toString('hex')])
      assert.ok(!text.includes(form), `${what} has ${needle}`)
}

/** Six digits are found in many a longer number. */
function assertHoldsNoCode(stored: string, codes: string[]): void {
  for (const code of codes) assert.doesNotMatch(stored, new RegExp(`(?<![\\w.-])${code}(?![\\w-])`))
}
