import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { anyEmail, assertProblem, type Person, signIn, signUp } from '../../../test/support/people.ts'

const service = await useTestApp({ REQUIRE_VERIFIED_EMAIL: 'true' })

const NEW = 'Another-horse-8'
const post = (path: string, token: unknown, more: object = {}) => service.client.post(path, { token, ...more })

const kinds = {
  async reset_password({ email }: Person) {
    await service.client.post('/auth/forgot-password', { email })
    return service.mailbox.token(email, 'reset_password')
  },
  confirm_email: ({ email }: Person) => service.mailbox.token(email, 'confirm_email'),
  async change_email({ api }: Person) {
    const email = anyEmail()
    await api.put('/auth/profile', { email })
    return service.mailbox.token(email, 'change_email')
  },
}
const pathOf = {
  reset_password: '/auth/reset-password',
  confirm_email: '/auth/verify-email',
  change_email: '/auth/verify-email',
}

for (const [kind, linkFor] of Object.entries(kinds) as [keyof typeof kinds, (person: Person) => Promise<string>][]) {
  const path = pathOf[kind]
  const use = (token: string) => post(path, token, { newPassword: NEW })
  const check = (token: unknown) => post(`${path}/check`, token)

  describe(`the check of a link: ${kind}`, () => {
    it('succeeds any number of times while the link is valid, and does not consume it', async () => {
      const ann = await signUp(service.client)
      const token = await linkFor(ann)
      const accounts = () => service.db.query(`select * from accounts where id = $1`, [ann.id])
      const links = () => service.db.query(`select * from one_time_links where account_id = $1 order by id`, [ann.id])
      const before = [await accounts(), await links()]
      for (const answer of await Promise.all(Array.from({ length: 5 }, () => check(token))))
        assert.deepEqual([answer.status, answer.body.data], [200, {}])
      assert.deepEqual([await accounts(), await links()], before)
      assert.equal((await use(token)).status, 200)
    })

    it('refuses used, expired, replaced and forged links, as using them would be refused', async () => {
      const ann = await signUp(service.client)
      const token = await linkFor(ann)
      assert.equal((await use(token)).status, 200)
      const bob = await signUp(service.client)
      const expired = await linkFor(bob)
      await service.db.query(`update one_time_links set expires_at = now() where account_id = $1`, [bob.id])
      for (const dead of [token, expired, `${token.slice(0, -2)}AA`, 'x']) {
        assertProblem(await check(dead), 400, 'link_invalid')
        assertProblem(await use(dead), 400, 'link_invalid')
      }
    })

    it('refuses a link of another purpose', async () => {
      const ann = await signUp(service.client)
      const token = await linkFor(ann)
      const other = kind === 'reset_password' ? '/auth/verify-email' : '/auth/reset-password'
      assertProblem(await post(`${other}/check`, token), 400, 'link_invalid')
    })

    it('accepts only a token', async () => {
      for (const token of [undefined, '', 7, 'x'.repeat(1025)])
        assertProblem(await check(token), 400, 'validation_failed')
    })
  })
}

it('refuses a link that a newer one replaced', async () => {
  const ann = await signUp(service.client)
  const first = await kinds.reset_password(ann)
  const second = await kinds.reset_password(ann)
  assertProblem(await post('/auth/reset-password/check', first), 400, 'link_invalid')
  assert.equal((await post('/auth/reset-password/check', second)).status, 200)
})

it('creates no session and revokes none', async () => {
  const ann = await signUp(service.client)
  const phone = await signIn(service.client, ann.email)
  const answer = await post('/auth/reset-password/check', await kinds.reset_password(ann))
  assert.deepEqual(Object.keys(answer.body).sort(), ['data', 'message', 'success'])
  assert.equal((await service.client.get('/auth/me', { token: phone.accessToken })).status, 200)
})
