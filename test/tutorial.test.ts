import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
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
    assert.deepEqual([answers.every(({ success }) => success), saved.length], [true, 1])

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
})
