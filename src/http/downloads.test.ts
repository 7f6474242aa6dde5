import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { describe, it } from 'node:test'
import { startTestApp } from '../../test/support/app.ts'
import { addRecords, verifyAudit } from '../../test/support/audit.ts'
import { signUp } from '../../test/support/people.ts'

/** More than the buffers of a connection hold. */
const RECORDS = 60_000

describe('a download', () => {
  it('is cut after a while when the service stops, so that a slow reader does not delay it for long', async () => {
    const service = await startTestApp()
    const { api, accessToken, company } = await signUp(service.client)
    await addRecords(service, company.id, RECORDS)
    await verifyAudit({ api } as Parameters<typeof verifyAudit>[0])
    const headers = { authorization: `Bearer ${accessToken}`, 'x-company-id': company.id }
    const request = http.get(`${service.address}/api/companies/audit/export?format=ndjson`, { agent: false, headers })
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    const failed = once(response, 'error').then(([error]) => error.code)

    await service.close()

    response.resume()
    assert.equal(await failed, 'ECONNRESET')
    assert.equal(response.complete, false)
  })
})
