import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addManagedMember, emailedPassword, join } from '../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'
import { closing, dropPolicy, setPolicy } from '../../../test/support/policies.ts'
import type { ClosedCode } from '../../access/policies.ts'

const service = await useTestApp()
const { client, db } = service

const search = async ({ api }: Person, q: string) =>
  (await api.get(`/companies/users/search?q=${encodeURIComponent(q)}`)).body.data.map(({ id }: Person) => id)
const companiesOf = async ({ api }: Person, { id }: Pick<Person, 'id'>) =>
  (await api.get(`/companies/users/${id}/companies`)).body.data.map((company: { id: string }) => company.id)

/** Ann administers her own company and another one, of which Bob is a member, too. */
async function administratorOfTwo() {
  const [ann, other] = [await signUp(client), await signUp(client)]
  await join(other, ann, ['Admin'])
  return { ann, other }
}

describe('a session that the policy of another company keeps out learns nothing of it', () => {
  for (const code of Object.keys(closing) as ClosedCode[])
    it(code, async () => {
      const { ann, other } = await administratorOfTwo()
      const hidden = await signUp(client, { name: `Hidden ${code}` })
      await join(other, hidden)
      const shared = await signUp(client)
      for (const owner of [ann, other]) await join(owner, shared)
      const managed = await addManagedMember(service, ann)
      await join(other, managed)
      const both = [ann.company.id, other.company.id].sort()
      const reset = () => ann.api.post(`/companies/users/${managed.id}/reset-password`)

      assert.deepEqual(await search(ann, hidden.name), [hidden.id])
      assert.deepEqual((await companiesOf(ann, shared)).filter((id: string) => both.includes(id)).sort(), both)
      assert.equal((await reset()).status, 200)

      await setPolicy(db, other.company.id, closing[code])
      assert.deepEqual(await search(ann, hidden.name), [])
      assert.deepEqual(
        (await companiesOf(ann, shared)).filter((id: string) => both.includes(id)),
        [ann.company.id],
      )
      assertProblem(await reset(), 403, 'account_not_managed')
      // The exact address finds an account without any company.
      assert.deepEqual(await search(ann, hidden.email), [hidden.id])
      // The own password of the account stays: the emailed one works beside it.
      assert.equal((await ann.api.post(`/companies/users/${managed.id}/reset-password-email`)).status, 200)
      assert.ok(await emailedPassword(service, managed.email))

      await dropPolicy(db, other.company.id)
      assert.deepEqual(await search(ann, hidden.name), [hidden.id])
      assert.equal((await reset()).status, 200)
    })

  it('and a node of the version before, which names no session, sees no company with a policy', async () => {
    const { ann, other } = await administratorOfTwo()
    const shared = await signUp(client)
    for (const owner of [ann, other]) await join(owner, shared)
    const asBefore = async () => {
      await db.query('begin')
      await db.query(`select set_config('app.company_id', $1, true), set_config('app.account_id', $2, true)`, [
        ann.company.id,
        ann.id,
      ])
      const rows = await db.query<{ id: string }>('select id from find_member_companies($1)', [shared.id])
      await db.query('commit')
      return rows.map(({ id }) => id).sort()
    }
    const both = [ann.company.id, other.company.id].sort()
    assert.deepEqual(await asBefore(), both)
    await setPolicy(db, other.company.id, `policy_networks = '{0.0.0.0/1}'`)
    assert.deepEqual(await asBefore(), [ann.company.id])
  })
})
