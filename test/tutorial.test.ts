import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { useTestApp } from './support/app.ts'
import { anyEmail, signUp } from './support/people.ts'
import { type ServiceProcess, startProcess } from './support/processes.ts'
import { blocksOf, paste, refusalsIn } from './support/shell-blocks.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-tutorial-'))

const service = await useTestApp()
let development: ServiceProcess
before(async () => {
  development = await startProcess(service, { openFilesMax: 1024 })
})
after(async () => {
  await development.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A proxy that answers the first exchange of a refresh token with 503, as a proxy or a failover may, after it was made. */
async function startFront(target: string): Promise<{ address: string; close(): void }> {
  let exchanges = 0
  const server = http.createServer(async (request, response) => {
    const { method = 'GET', url = '', headers } = request
    const body = method === 'GET' ? undefined : await buffer(request)
    const passed = ['authorization', 'content-type', 'idempotency-key'].flatMap((name) =>
      headers[name] ? [[name, String(headers[name])] as [string, string]] : [],
    )
    const answer = await fetch(target + url, { method, headers: passed, ...(body && { body: new Uint8Array(body) }) })
    const isCut = url === '/auth/refresh' && exchanges++ === 0
    response.statusCode = isCut ? 503 : answer.status
    response.end(isCut ? JSON.stringify({ message: 'Away', code: 'away' }) : await answer.text())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { address: `http://127.0.0.1:${port}`, close: () => void server.close().closeAllConnections() }
}

describe('the documents', () => {
  it('have a working first minute in the README', async () => {
    const answers = await paste('README.md', { address: development.address, folder })
    assert.deepEqual(
      answers.map(({ success }) => success),
      [true, true, true],
    )
  })

  it('have a working tutorial with exactly the refusals that it names', async () => {
    const named = refusalsIn('docs/tutorial.md')
    assert.equal(named.length, 3)
    const answers = await paste('docs/tutorial.md', { address: development.address, folder })
    assert.deepEqual(
      answers.filter(({ success }) => !success).map(({ code }) => code),
      named,
    )
    assert.ok(answers.length > 15)
  })

  it('have a sample client that refreshes once for all requests with an expired access token', async () => {
    const ann = await signUp(service.client)
    const file = path.join(folder, 'client.mjs')
    writeFileSync(file, blocksOf('docs/integrate.md', 'js')[0] as string)
    const { createClient } = await import(pathToFileURL(file).href)
    const saved: unknown[] = []
    const expired = { accessToken: 'expired', refreshToken: ann.refreshToken }
    const call = createClient(`${service.address}/api`, expired, (tokens: unknown) => saved.push(tokens))

    const answers = await Promise.all([call('GET', '/auth/me'), call('GET', '/companies'), call('GET', '/auth/me')])
    // First with the key of the exchange, and then the new ones.
    assert.deepEqual([answers.every(({ success }) => success), saved.length], [true, 2])

    const headers = { 'x-company-id': ann.company.id, 'idempotency-key': 'one' }
    const body = { name: 'Bob', email: anyEmail() }
    const [added, again] = [
      await call('POST', '/companies/users', { body, headers }),
      await call('POST', '/companies/users', { body, headers }),
    ]
    assert.deepEqual(added, again)
    await assert.rejects(call('POST', '/companies/users', { body, headers: { 'x-company-id': ann.company.id } }), {
      code: 'already_member',
    })
  })

  it('have a sample client that keeps its session when an exchange is answered with 503 although it was made', async () => {
    const ann = await signUp(service.client)
    const front = await startFront(`${service.address}/api`)
    const expired = { accessToken: 'expired', refreshToken: ann.refreshToken }
    const { createClient } = await import(pathToFileURL(path.join(folder, 'client.mjs')).href)
    let saved = {}
    const open = (tokens: object) => createClient(front.address, tokens, (newest: object) => (saved = newest))
    try {
      await assert.rejects(open(expired)('GET', '/auth/me'), { message: 'Away', code: 'away' })
      // As after a reload of the page.
      assert.equal((await open(saved)('GET', '/auth/me')).success, true)
    } finally {
      front.close()
    }
  })
})
