import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { signUp } from '../../../test/support/people.ts'
import { preparedStatement } from '../../database/prepared-statements.ts'
import { createExchange } from './refresh.ts'

const service = await useTestApp()
const caller = {
  ip: '127.0.0.1',
  network: '127.0.0.1/32',
  userAgent: '',
  requestId: '',
  idempotencyKey: undefined,
  isDisconnected: () => false,
}

it('another node refuses a request that arrived 400 ms after the exchange, although its event loop was busy', async () => {
  const ann = await signUp(service.client)
  await service.client.post('/auth/refresh', { refreshToken: ann.refreshToken })
  await service.db.query(`update sessions set rotated_at = clock_timestamp() - interval '400 ms' where id = $1`, [
    ann.sessionId,
  ])
  // The result of the query lies in the socket for a second, because this node is busy with something else.
  const readings = [0, 1000]
  const late = { ...caller, elapsedMs: () => readings.shift() ?? 1000 }
  await assert.rejects(createExchange(service.parts)(ann.refreshToken, late), { code: 'refresh_token_invalid' })
})

it('one account can not use up the names of prepared statements of the whole service', async () => {
  const ann = await signUp(service.client)
  for (const sortBy of ['name', 'created_at', 'memberCount'])
    for (const sortDir of ['asc', 'desc'])
      for (let limit = 1; limit <= 100; limit++) {
        const { status } = await ann.api.get(`/companies/roles?limit=${limit}&sortBy=${sortBy}&sortDir=${sortDir}`)
        assert.equal(status, 200)
      }
  assert.notEqual(preparedStatement('select 1 as a_hot_statement_of_another_tenant').name, '')
})
