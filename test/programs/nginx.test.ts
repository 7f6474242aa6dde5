import assert from 'node:assert/strict'
import http from 'node:http'
import { after, describe, it } from 'node:test'
import { startNginx } from '../faults/nginx.ts'
import { useTestApp } from '../support/app.ts'
import { type Person, signUp } from '../support/people.ts'

// Debian's nginx, with the settings that docs/operations.md gives, between people and a company whose policy names networks.

const service = await useTestApp({ TRUST_PROXY: '127.0.0.1' })
const [behind, direct] = [await startNginx([{ port: Number(new URL(service.address).port) }]), service.address]
after(() => behind.close())

const OFFICE = '127.0.0.5'
const ELSEWHERE = '127.0.0.6'

/** The outcome of a request that comes from an address of this machine, with more headers than its sender should send. */
async function enter(by: Person, at: string, localAddress: string, forged: string[] = []): Promise<string> {
  const url = new URL(`/api/companies/${by.company.id}`, at)
  const headers = ['host', url.host, 'authorization', `Bearer ${by.accessToken}`, ...forged]
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  http
    .get(url, { headers, localAddress, agent: false }, async (answer) => {
      const { success, code } = JSON.parse(Buffer.concat(await answer.toArray()).toString())
      resolve(success ? 'open' : code)
    })
    .on('error', reject)
  return promise
}

describe('a policy with networks, behind nginx', async () => {
  const ann = await signUp(service.client)
  await service.db.query(`update companies set has_policy = true, policy_networks = '{${OFFICE}/32}' where id = $1`, [
    ann.company.id,
  ])

  it('lets in who comes from one of them, whatever the request claims', async () => {
    assert.equal(await enter(ann, behind.address, OFFICE), 'open')
    assert.equal(await enter(ann, behind.address, OFFICE, ['x-forwarded-for', ELSEWHERE]), 'open')
  })

  it('keeps out who claims to come from there', async () => {
    for (const forged of [
      [],
      ['x-forwarded-for', OFFICE],
      ['X-Forwarded-For', `${OFFICE}, ${OFFICE}`],
      ['x-forwarded-for', OFFICE, 'x-forwarded-for', OFFICE],
      ['x-real-ip', OFFICE],
      ['forwarded', `for=${OFFICE}`],
      ['client-ip', OFFICE, 'true-client-ip', OFFICE, 'cf-connecting-ip', OFFICE],
    ])
      assert.equal(await enter(ann, behind.address, ELSEWHERE, forged), 'network_not_allowed', String(forged))
  })

  it('keeps out who goes around nginx and claims to be it', async () => {
    assert.equal(await enter(ann, direct, ELSEWHERE, ['x-forwarded-for', OFFICE]), 'network_not_allowed')
    assert.equal(await enter(ann, direct, OFFICE), 'open')
  })
})
