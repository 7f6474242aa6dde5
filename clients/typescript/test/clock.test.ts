import assert from 'node:assert/strict'
import { after, describe, it, mock } from 'node:test'
import { startTestApp } from '../../../test/support/app.ts'
import { startProcess } from '../../../test/support/processes.ts'
import { clientOf, signedUp } from './support.ts'

// The service has a process of its own, so that only the client sees the other clock.
const app = await startTestApp()
const service = await startProcess(app)
after(async () => {
  await service.close()
  await app.close()
})
const DAY_MS = 86_400_000
const refreshes = ({ wire }: Awaited<ReturnType<typeof signedUp>>) => wire.matching(/refresh/).length

describe('a device whose clock is wrong', { concurrency: false }, () => {
  const now = Date.now.bind(Date)
  const setClock = (offsetMs: number) => {
    mock.restoreAll()
    mock.method(Date, 'now', () => now() + offsetMs)
  }

  for (const days of [-400, -1, 1, 400])
    it(`uses a token for as long as it lives: ${days} days`, async () => {
      setClock(days * DAY_MS)
      const client = await signedUp(service)
      await client.tenantry.account.me()
      assert.equal(refreshes(client), 0)
      mock.restoreAll()
    })

  it('goes on when the clock is set back', async () => {
    const client = await signedUp(service)
    setClock(-DAY_MS)
    await client.tenantry.account.me()
    assert.equal(refreshes(client), 0)
    mock.restoreAll()
  })

  it('refreshes when the clock is set ahead, or a reload finds a token from the future', async () => {
    const client = await signedUp(service)
    setClock(DAY_MS)
    await client.tenantry.account.me()
    assert.equal(refreshes(client), 1)
    mock.restoreAll()

    const reloaded = clientOf(service, { session: client.store })
    await reloaded.tenantry.session.restore()
    assert.deepEqual(reloaded.wire.names, ['POST /api/auth/refresh', 'GET /api/auth/me'])
  })
})

describe('a token', () => {
  it('that was issued a while before it arrived lives accordingly shorter', async () => {
    const client = await signedUp(service)
    const { receivedAt } = (await client.store.load()) ?? assert.fail()
    client.wire.fail(/login/, async (request, forward) => {
      const response = await forward(request)
      const headers = new Headers(response.headers)
      headers.set('date', new Date(Date.parse(headers.get('date') ?? '') + 600_000).toUTCString())
      return new Response(response.body, { ...response, status: response.status, headers })
    })
    await client.tenantry.signIn(client.person)
    const tokens = (await client.store.load()) ?? assert.fail()
    assert.ok(receivedAt - tokens.receivedAt > 500_000)
  })
})
