import assert from 'node:assert/strict'
import { afterEach, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { from } from '../../../test/support/http.ts'
import { anyEmail, type Person, signUp } from '../../../test/support/people.ts'
import { handleLinkRequests } from './handle-link-requests.ts'

const WAITING_OF_SHARE_MAX = 200

const service = await useTestApp({ TRUST_PROXY: 'loopback' })
afterEach(() => service.db.query('delete from link_requests'))

const ask = (email: string, ip: string) => service.client.post('/auth/forgot-password', { email }, from(ip))
const handleRound = (failures: unknown[] = []) =>
  handleLinkRequests({ ...service.parts, onFailure: (error) => failures.push(error) })
const emailed = async ({ email }: Person) =>
  (await service.db.query(`select from emails where kind = 'reset_password' and recipient_email = $1`, [email])).length
const waitingFrom = async (share: string) =>
  (await service.db.query(`select from link_requests where network << $1::cidr`, [share])).length

/** So many requests as each network of the share may send in a minute, for addresses that have no account. */
async function flood(count: number): Promise<void> {
  for (let number = 0; number < count; number++)
    assert.equal((await ask(anyEmail(), `2001:db8:7:${number.toString(16)}::1`)).status, 200)
}

it('gives each provider’s customer a turn, so that a flood from many networks of one delays no other', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  await flood(150)
  await ask(ann.email, '198.51.100.1')
  await ask(bob.email, '2001:db8:8::1')

  assert.equal(await handleRound(), 22)

  assert.deepEqual([await emailed(ann), await emailed(bob)], [1, 1])
  assert.equal(await waitingFrom('2001:db8:7::/48'), 130)
})

it('goes on where the round before ended, and begins again behind the last network', async () => {
  const people = [await signUp(service.client), await signUp(service.client)]
  const [ann, bob] = people as [Person, Person]
  await ask(bob.email, '198.51.100.1')
  await service.db.query(
    `insert into link_requests (id, purpose, email_mac, encrypted_email, network, ip, user_agent, request_id)
     select gen_random_uuid(), 'reset_password', '', '', set_masklen(host, 32), host, '', ''
     from generate_series(0, 149) n, lateral (select ('10.0.' || n || '.1')::inet as host) hosts`,
  )
  const turn = { last: '0.0.0.0/0' }
  const round = () => handleLinkRequests({ ...service.parts, onFailure: assert.fail }, turn)
  assert.equal(await round(), 100)
  assert.deepEqual([turn.last, await emailed(bob)], ['10.0.99.0/24', 0])
  await ask(ann.email, '10.0.0.1')
  assert.equal(await round(), 51)
  assert.deepEqual([turn.last, await emailed(bob), await emailed(ann)], ['0.0.0.0/0', 1, 0])
  assert.equal(await round(), 1)
  assert.equal(await emailed(ann), 1)
})

it('keeps few requests of one provider’s customer waiting, and takes those of the others', async () => {
  const ann = await signUp(service.client)
  await flood(WAITING_OF_SHARE_MAX + 5)
  for (let host = 1; host < 4; host++) await ask(ann.email, `198.51.100.${host}`)

  assert.equal(await waitingFrom('2001:db8:7::/48'), WAITING_OF_SHARE_MAX)
  assert.equal(await waitingFrom('198.51.100.0/24'), 3)
})

it('postpones the request of an account that is locked, and handles the others', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  await ask(bob.email, '198.51.100.1')
  await ask(ann.email, '198.51.100.1')
  await service.db.query('begin')
  await service.db.query('update accounts set name = name where id = $1', [bob.id])
  const failures: unknown[] = []
  await handleRound(failures)
  await service.db.query('commit')
  assert.deepEqual([failures.length, await emailed(ann), await emailed(bob)], [1, 1, 0])

  assert.equal(await handleRound(), 0)
  await service.db.query('update link_requests set retry_at = now()')
  await handleRound()
  assert.equal(await emailed(bob), 1)
})
