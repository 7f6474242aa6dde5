import assert from 'node:assert/strict'
import http from 'node:http'
import { after, describe, it } from 'node:test'
import { startTestApp, useTestApp } from '../../../../test/support/app.ts'
import { confirmFactor } from '../../../../test/support/factors.ts'
import { join } from '../../../../test/support/members.ts'
import { assertProblem, PASSWORD, type Person, signUp } from '../../../../test/support/people.ts'
import { setPolicy } from '../../../../test/support/policies.ts'

const OFFICE = '203.0.113.9'
const settings = { TRUST_PROXY: 'loopback', APP_SECRET: 'one-secret-for-both-nodes-of-this-test' }
const behindProxy = await useTestApp(settings)
const { query } = behindProxy.db

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
const enter = ({ api, company }: Person, address: string) => api.get(`/companies/${company.id}`, from(address))

/** A company that lets people in from its office, through the proxy, alone. */
async function officeOf(allow = `{${OFFICE}/32}`): Promise<Person> {
  const ann = await signUp(behindProxy.client)
  await setPolicy(behindProxy.db, ann.company.id, `policy_networks = '${allow}'`)
  return ann
}

/** The answer to a request with these raw lines, which no library would send. */
async function rawEnter(address: string, { accessToken, company }: Person, headers: string[]): Promise<number> {
  const { hostname, port } = new URL(address)
  const path = `/api/companies/${company.id}`
  const lines = ['host', `${hostname}:${port}`, 'authorization', `Bearer ${accessToken}`, ...headers]
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  http
    .get({ hostname, port, path, headers: lines, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    .on('error', reject)
  return promise
}

describe('the address of a request, for a policy with networks', () => {
  it('is the one that the proxy has seen, whatever stands before it', async () => {
    const ann = await officeOf()
    assert.equal((await enter(ann, OFFICE)).status, 200)
    assert.equal((await enter(ann, `198.51.100.1, ${OFFICE}`)).status, 200)
    for (const forged of [
      `${OFFICE}, 198.51.100.1`,
      `${OFFICE}, ${OFFICE}, 198.51.100.1`,
      `198.51.100.1`,
      `203.0.113.009`,
      '0313.0.0161.011',
      '3405803785',
      `${OFFICE}:443, 198.51.100.1`,
      `${OFFICE}/32`,
      `"${OFFICE}"`,
      ` , `,
      '',
      '::1',
    ])
      assertProblem(await enter(ann, forged), 403, 'network_not_allowed')
  })

  it('is the same one in every spelling', async () => {
    const ann = await officeOf(`{${OFFICE}/32,2001:db8::/64}`)
    for (const spelling of [
      `::ffff:${OFFICE}`,
      '::FFFF:cb00:7109',
      '0:0:0:0:0:ffff:cb00:7109',
      '2001:db8::1',
      '2001:0DB8:0:0:1::1',
    ])
      assert.equal((await enter(ann, spelling)).status, 200, spelling)
    for (const other of ['::ffff:203.0.113.10', `::${OFFICE}`, `64:ff9b::${OFFICE}`, '2001:db8:0:1::1'])
      assertProblem(await enter(ann, other), 403, 'network_not_allowed')
  })

  it('is in no network where the proxy passes on what is no address, also where the proxy itself is in one', async () => {
    const ann = await officeOf('{127.0.0.0/8}')
    assert.equal((await ann.api.get(`/companies/${ann.company.id}`)).status, 200)
    for (const text of [`${OFFICE}:443`, 'unknown', '_hidden', `"${OFFICE}"`, '127.0.0.1/32', '127.0.0.1:443']) {
      assertProblem(await enter(ann, text), 403, 'network_not_allowed')
      const written = await ann.api.patch(`/companies/${ann.company.id}`, { taxId: 'T' }, from(text))
      assertProblem(written, 403, 'network_not_allowed')
    }
    const set = await ann.api.patch('/companies/policy', { networks: { allow: ['127.0.0.0/8'] } }, from('unknown'))
    assertProblem(set, 403, 'network_not_allowed')
  })

  it('is read from all headers of this name together, and from no other header', async () => {
    const ann = await officeOf()
    const enterWith = (...headers: string[]) => rawEnter(behindProxy.address, ann, headers)
    const xff = 'x-forwarded-for'
    assert.equal(await enterWith(xff, '198.51.100.1', xff, OFFICE), 200)
    assert.equal(await enterWith(xff, OFFICE, xff, '198.51.100.1'), 403)
    for (const name of [
      'forwarded',
      'x-real-ip',
      'true-client-ip',
      'cf-connecting-ip',
      'x-client-ip',
      'x_forwarded_for',
    ])
      assert.equal(await enterWith(name, name === 'forwarded' ? `for=${OFFICE}` : OFFICE), 403, name)
  })

  it('is never the header of a client that is no proxy', async () => {
    const direct = await startTestApp({}, behindProxy.db)
    after(() => direct.close())
    const ann = await signUp(direct.client)
    await setPolicy(direct.db, ann.company.id, `policy_networks = '{${OFFICE}/32}'`)
    for (const forged of [OFFICE, `${OFFICE}, 127.0.0.1`])
      assertProblem(await enter(ann, forged), 403, 'network_not_allowed')
  })

  it('decides for each request of a connection that stays open', async () => {
    const ann = await officeOf()
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    after(() => agent.destroy())
    const send = async (address: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<[number, boolean]>()
      const headers = { authorization: `Bearer ${ann.accessToken}`, 'x-forwarded-for': address }
      const request = http.get(
        `${behindProxy.address}/api/companies/${ann.company.id}`,
        { agent, headers },
        (answer) => {
          answer.resume().once('end', () => resolve([answer.statusCode ?? 0, request.reusedSocket]))
        },
      )
      request.on('error', reject)
      return promise
    }
    assert.deepEqual(await send(OFFICE), [200, false])
    assert.deepEqual(await send('198.51.100.1'), [403, true])
    assert.deepEqual(await send(OFFICE), [200, true])
    await setPolicy(behindProxy.db, ann.company.id, `policy_networks = '{192.0.2.0/24}'`)
    assert.deepEqual(await send(OFFICE), [403, true])
  })
})

describe('a policy with networks', () => {
  it('can’t be set without the own address, nor can it be taken out later', async () => {
    const ann = await signUp(behindProxy.client)
    const set = (allow: string[], address: string) =>
      ann.api.patch('/companies/policy', { networks: { allow } }, from(address))
    assertProblem(await set(['203.0.113.0/24'], '198.51.100.1'), 422, 'policy_locks_you_out')
    assert.equal((await set(['203.0.113.0/24'], OFFICE)).status, 200)
    assertProblem(await set(['198.51.100.0/24'], OFFICE), 422, 'policy_locks_you_out')
    const elsewhere = await behindProxy.client.post('/auth/login', { email: ann.email, password: PASSWORD })
    const other = ann.api.with({ token: elsewhere.body.data.accessToken })
    assertProblem(await other.patch('/companies/policy', {}, from('198.51.100.1')), 403, 'network_not_allowed')
    const without = { networks: { allow: ['198.51.100.0/24'] } }
    assertProblem(await other.patch('/companies/policy', without, from(OFFICE)), 422, 'policy_locks_you_out')
    assert.equal((await enter(ann, OFFICE)).status, 200)
  })

  it('holds on every node from the next request on, and so does its end', async () => {
    const node = await startTestApp(settings, behindProxy.db)
    after(() => node.close())
    const ann = await signUp(behindProxy.client)
    const bob = await join(ann, await signUp(behindProxy.client))
    const there = node.client.with({ token: bob.accessToken, company: ann.company.id })
    const statuses = async () =>
      (await Promise.all([bob.api, there].map((api) => api.get('/companies/users', from('198.51.100.1'))))).map(
        ({ status }) => status,
      )
    assert.deepEqual(await statuses(), [200, 200])
    const set = (allow: string[]) => ann.api.patch('/companies/policy', { networks: { allow } }, from(OFFICE))
    assert.equal((await set(['203.0.113.0/24'])).status, 200)
    assert.deepEqual(await statuses(), [403, 403])
    assert.equal((await set([])).status, 200)
    assert.deepEqual(await statuses(), [200, 200])
  })
})

describe('owners whom another one’s networks keep out', () => {
  it('are told of them, and restore the company once it is deleted, by a fresh proof', async () => {
    const ann = await signUp(behindProxy.client)
    const bob = await join(ann, await signUp(behindProxy.client), ['Owner'])
    const set = await ann.api.patch('/companies/policy', { networks: { allow: [OFFICE] } }, from(OFFICE))
    assert.equal(set.status, 200)
    const [email] = await behindProxy.mailbox.to(bob.email, 'policy_tightened')
    assert.ok(email?.text.includes(`(${ann.email})`))
    const id = ann.company.id
    assert.equal((await ann.api.delete(`/companies/${id}`, {}, from(OFFICE))).status, 200)

    const proved = (age: string) =>
      query(`update sessions set authenticated_at = now() - interval '${age}' where account_id = $1`, [bob.id])
    const restore = () => bob.api.post(`/companies/${id}/restore`, {}, from('198.51.100.1'))
    await proved('11 minutes')
    assertProblem(await restore(), 403, 'reauthentication_required')
    await proved('9 minutes')
    assert.equal((await restore()).status, 200)
    assertProblem(await bob.api.get(`/companies/${id}`, from('198.51.100.1')), 403, 'network_not_allowed')
    assert.equal((await enter(ann, OFFICE)).status, 200)
  })
})

describe('two owners who narrow a policy at once', () => {
  it('each to the own address leave one of them inside', async () => {
    for (let round = 0; round < 6; round++) {
      const ann = await signUp(behindProxy.client)
      const bob = await join(ann, await signUp(behindProxy.client), ['Owner'])
      const narrow = ({ api }: Person, address: string) =>
        api.patch('/companies/policy', { networks: { allow: [address] } }, from(address))
      const [one, two] = await Promise.all([narrow(ann, '203.0.113.1'), narrow(bob, '203.0.113.2')])
      const outcomes = [one.body.code ?? one.status, two.body.code ?? two.status].sort()
      assert.deepEqual(outcomes, [200, 'network_not_allowed'])
      const entered = await Promise.all([
        enter(ann, '203.0.113.1'),
        bob.api.get('/companies/users', from('203.0.113.2')),
      ])
      assert.deepEqual(
        entered.map(({ status }) => status),
        one.status === 200 ? [200, 403] : [403, 200],
      )
    }
  })

  it('never remove the last one who passes, in whatever way they go', async () => {
    for (let round = 0; round < 4; round++) {
      const [ann, bob, carl] = [await passing(), await passing(), await signUp(behindProxy.client)]
      const company = ann.company.id
      for (const [person, role] of [
        [bob, 'Owner'],
        [carl, 'Owner'],
      ] as const)
        await join(ann, person, [role])
      await setPolicy(behindProxy.db, company, 'policy_factor_from = now()')
      const roles = (await ann.api.get('/companies/roles')).body.data as { id: string; name: string }[]
      const member = roles.find(({ name }) => name === 'Member')?.id
      const [as, by] = [ann.api.with({ company }), bob.api.with({ company })]
      await Promise.all([
        as.post(`/companies/${company}/leave`),
        by.post(`/companies/${company}/leave`),
        as.delete(`/companies/users/${bob.id}`),
        by.delete(`/companies/users/${ann.id}`),
        as.patch(`/companies/users/${bob.id}`, { status: 'inactive' }),
        by.patch(`/companies/users/${ann.id}`, { roleIds: [member] }),
        as.patch(`/companies/users/${ann.id}`, { roleIds: [member] }),
        by.patch(`/companies/users/${bob.id}`, { status: 'inactive' }),
      ])
      const [left] = await query<{ count: number }>(
        `select count(*)::int from memberships m join membership_roles r using (company_id, account_id)
         join roles on roles.id = role_id join accounts on accounts.id = account_id
         where m.company_id = $1 and system_key = 'owner' and status = 'active' and has_second_factor`,
        [company],
      )
      assert.ok((left?.count ?? 0) >= 1)
    }
  })

  /** With a second factor that the session has proved. */
  async function passing(): Promise<Person> {
    const person = await signUp(behindProxy.client)
    await confirmFactor(behindProxy.db, person.id)
    await query('update sessions set second_factor_at = now() where account_id = $1', [person.id])
    return person
  }
})
