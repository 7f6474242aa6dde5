import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import { mailboxCodeTo, signUpVerified } from '../../../test/support/factors.ts'
import { accept, invitationToken, invite, registerInvited } from '../../../test/support/invitations.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signUp } from '../../../test/support/people.ts'
import { useCountedApp } from '../../../test/support/statement-counter.ts'
import { newId } from '../../lib/ids.ts'
import { linkToken } from '../../lib/secrets.ts'

const { service, count } = await useCountedApp({ hashesCheaply: false })
const { db } = service

const preview = (token: string) => service.client.post('/auth/invitations/preview', { token })
const decline = (token: string) => service.client.post('/auth/invitations/decline', { token })
const tokenOf = (invited: { email: string }) => invitationToken(service, invited)

/** Every table of the database as text, byte strings in hexadecimal. */
async function dumped(): Promise<string> {
  const tables = await db.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  assert.ok(tables.length > 40)
  const texts = []
  for (const { name } of tables) {
    const rows = await db.query<{ text: string }>(`select t::text as text from ${name} t`)
    texts.push(...rows.map(({ text }) => text))
  }
  return texts.join('\n')
}

async function answersTo({ api }: Person, ids: { invitation: string; link: string }): Promise<string> {
  const paths = [
    '/companies/invitations?limit=100',
    `/companies/invitations/${ids.invitation}`,
    '/companies/invitation-links?limit=100',
    `/companies/invitation-links/${ids.link}`,
    '/companies/audit?limit=100',
    '/companies/audit/verify',
    '/companies/users?limit=100',
    '/auth/invitations',
    '/auth/me',
  ]
  const answers = await Promise.all(paths.map((path) => api.get(path)))
  const exports = await Promise.all(
    ['ndjson', 'csv'].map((format) => api.get(`/companies/audit/export?format=${format}`)),
  )
  for (const { status } of [...answers, ...exports]) assert.equal(status, 200)
  return JSON.stringify([...answers, ...exports].map(({ body }) => body))
}

it('no token of a company’s whole life with invitations and links is stored, logged or answered again', async () => {
  const ann = await signUp(service.client)
  const bob = await signUpVerified(service)
  const tokens: string[] = []
  const invited = async (email?: string) => {
    const invitation = await invite(ann, email ? { email } : {})
    tokens.push(await tokenOf(invitation))
    return { ...invitation, token: tokens.at(-1) as string }
  }
  const [joining, declining, revoked, pending, forBob] = [
    await invited(),
    await invited(),
    await invited(),
    await invited(),
    await invited(bob.email),
  ]
  assert.equal((await ann.api.post(`${pending.path}/resend`)).status, 200)
  tokens.push(await tokenOf(pending))
  await ann.api.delete(revoked.path)
  assert.equal((await preview(joining.token)).status, 200)
  const key = { headers: { 'idempotency-key': newId() } }
  const body = { token: joining.token, name: 'Zoë', password: 'Correct-horse-7' }
  assert.equal((await service.client.post('/auth/invitations/register', body, key)).status, 201)
  assert.equal((await decline(declining.token)).status, 200)
  assert.equal((await accept(bob, forBob.token)).status, 200)
  for (const dead of [joining, declining, revoked]) assertProblem(await preview(dead.token), 400, 'link_invalid')
  assertProblem(await registerInvited(service, revoked.token), 400, 'link_invalid')

  const link = (await ann.api.post('/companies/invitation-links', { maxUses: 2 })).body.data
  tokens.push(link.token)
  const carl = await signUp(service.client)
  await db.query('update accounts set email_verified_at = now() where id = $1', [carl.id])
  assertProblem(await carl.api.post('/auth/invitation-links/join', { token: link.token }), 403, 'mailbox_code_required')
  const emailCode = await mailboxCodeTo(service, carl.email)
  const join = { token: link.token, emailCode }
  assert.equal((await carl.api.post('/auth/invitation-links/join', join)).status, 200)
  await ann.api.delete(`/companies/invitation-links/${link.id}`)
  assertProblem(await bob.api.post('/auth/invitation-links/join', { token: `${link.token}x` }), 400, 'link_invalid')

  const searched = [
    await dumped(),
    await answersTo(ann, { invitation: pending.id, link: link.id }),
    service.logged.join('\n'),
  ]
  for (const text of searched.slice(0, 2)) assert.ok(text.includes(pending.email))
  assert.ok((searched[2] as string).includes('/api/auth/invitations/preview'))
  assert.equal(new Set(tokens).size, 7)
  for (const token of tokens) {
    const secret = Buffer.from(token, 'base64url')
    // An emailed token begins with the id of its link, which alone opens nothing; the rest is a secret also by itself.
    for (const spelling of [token, token.slice(-16), secret.toString('hex'), secret.subarray(-12).toString('hex')])
      for (const [place, text] of searched.entries())
        assert.equal(text.includes(spelling), false, `${place}: ${spelling}`)
  }
})

/** Links that work no longer or never did, all made with our key, and one that works. */
async function createLinks(): Promise<{ live: string; dead: Record<string, string> }> {
  const ann = await signUp(service.client)
  const [live, revoked, expired, declined] = [
    await invite(ann),
    await invite(ann),
    await invite(ann),
    await invite(ann),
  ]
  const [last, ...ended] = [
    await tokenOf(live),
    await tokenOf(revoked),
    await tokenOf(expired),
    await tokenOf(declined),
  ]
  await ann.api.delete(revoked.path)
  await db.query(`update invitations set expires_at = now() - interval '1 second' where id = $1`, [expired.id])
  await decline(ended[2] as string)
  const unknown = linkToken(service.keys, newId(), 'invitation')
  return {
    live: last,
    dead: { revoked: ended[0], expired: ended[1], declined: ended[2], unknown } as Record<string, string>,
  }
}

describe('all dead links cost the same', () => {
  it('in statements', async () => {
    const { live, dead } = await createLinks()
    for (const send of [preview, (token: string) => registerInvited(service, token)]) {
      const costs = []
      for (const token of Object.values(dead)) {
        assertProblem(await send(token), 400, 'link_invalid')
        // Connections that are opened, and records of the refusal before, count with one or the other.
        const counts = []
        for (let time = 0; time < 4; time++) counts.push((await count(() => send(token))).statements)
        costs.push(Math.min(...counts))
      }
      assert.equal(new Set(costs).size, 1, String(costs))
    }
    assert.equal((await preview(live)).status, 200)
  })

  const REQUESTS = 200
  /** With requests that all do the same it stays within five standard deviations (0.03 each) of a half. */
  const DISTANCE_MAX = 0.15

  it(`in time, of ${REQUESTS} requests each in random order, and no hash is computed for them`, async () => {
    const { dead } = await createLinks()
    const kinds = Object.keys(dead)
    for (const send of [preview, (token: string) => registerInvited(service, token)]) {
      const timesOf = await timed(kinds.map((kind) => [kind, () => send(dead[kind] as string)]))
      for (const kind of kinds) {
        for (const other of kinds) {
          const slower = slowerShare(timesOf[kind] as number[], timesOf[other] as number[])
          assert.ok(Math.abs(slower - 0.5) < DISTANCE_MAX, `${kind} is slower than ${other} in ${slower} of all pairs`)
        }
      }
    }
    const { dead: withoutHash, 'one hash': withHash } = await timed(
      [
        ['dead', () => registerInvited(service, dead.revoked as string)],
        ['one hash', () => service.client.post('/auth/login', { email: anyEmail(), password: PASSWORD })],
      ],
      REQUESTS / 10,
    )
    assert.ok(slowerShare(withHash as number[], withoutHash as number[]) > 0.9)
  })

  /** The times of each kind of request, which take turns so that what else slows the machine slows them all. */
  async function timed(
    requests: [kind: string, send: () => Promise<unknown>][],
    rounds = REQUESTS,
  ): Promise<Record<string, number[]>> {
    const times = Object.fromEntries(requests.map(([kind]) => [kind, [] as number[]]))
    for (let round = 0; round < rounds; round++)
      for (const [kind, send] of shuffled(requests)) {
        const started = performance.now()
        await send()
        times[kind]?.push(performance.now() - started)
      }
    return times
  }

  const shuffled = <Item>(items: Item[]) =>
    items
      .map((item) => [randomInt(2 ** 32), item] as const)
      .sort(([one], [other]) => one - other)
      .map(([, item]) => item)

  /** Of all pairs of a time of each the share in which the first one is longer: a half where nothing tells them apart. */
  const slowerShare = (ones: number[], others: number[]) =>
    ones.reduce((sum, one) => sum + others.filter((other) => one > other).length, 0) / (ones.length * others.length)
})
