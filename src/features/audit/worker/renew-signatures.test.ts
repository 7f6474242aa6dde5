import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp, type TestApp, useTestApp } from '../../../../test/support/app.ts'
import { addRecords, sealedCompany, verifyAudit } from '../../../../test/support/audit.ts'
import { type Person, signUp } from '../../../../test/support/people.ts'
import { keysFrom } from '../../../lib/keys.ts'
import { renewSignatures } from './renew-signatures.ts'

const service = await useTestApp()

describe('the secret of the service', () => {
  it('can be replaced: the signatures of the previous one are renewed, and the chain goes on', async () => {
    const ann = await sealedCompany(service)
    const [first, second] = [service.parts.config.appSecret, 'another-secret-of-more-than-32-characters']
    const rotated = { ...service.auditDeps, keys: keysFrom(second, first) }
    await addRecords(service, ann.company.id, 10)
    await renewSignatures(rotated)
    const kids = await service.db.query<{ kid: string }>(
      'select kid from audit_heads where company_id = $1 union select kid from audit_checkpoints where company_id = $1',
      [ann.company.id],
    )
    assert.deepEqual(
      kids.map(({ kid }) => kid),
      [rotated.keys.current.kid],
    )

    const later = await startTestApp({ APP_SECRET: second }, service.db)
    const there = {
      ...ann,
      api: later.client.with({ token: (await signedInAt(later, ann)).accessToken, company: ann.company.id }),
    }
    const { valid } = await verifyAudit(there)
    await later.close()
    assert.equal(valid, true)
  })

  async function signedInAt(later: TestApp, { email }: Person) {
    const { body } = await later.client.post('/auth/login', { email, password: 'Correct-horse-7' })
    return body.data
  }
})

describe('invalid signatures', () => {
  it('are counted, and all others are renewed', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)].sort((one, other) =>
      one.company.id < other.company.id ? -1 : 1,
    ) as [Person, Person]
    for (const person of [ann, bob]) await verifyAudit(person)
    await service.db.query(
      `insert into audit_checkpoints select company_id, number + n, seq + n, hash, begins_seq, begins_hash, begins_number, time, kid, signature
      from audit_checkpoints, generate_series(1, 1200) n where company_id = $1`,
      [ann.company.id],
    )
    const rotated = {
      ...service.auditDeps,
      keys: keysFrom('one-more-secret-of-more-than-32-characters', service.parts.config.appSecret),
    }
    const { invalid } = await renewSignatures(rotated)
    assert.ok(invalid >= 1200, `${invalid} are invalid`)
    const kids = await service.db.query<{ kid: string }>(
      'select kid from audit_heads where company_id = $1 union select kid from audit_checkpoints where company_id = $1',
      [bob.company.id],
    )
    assert.deepEqual(kids, [{ kid: rotated.keys.current.kid }])
  })
})
