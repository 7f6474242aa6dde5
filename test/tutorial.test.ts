import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { useTestApp } from './support/app.ts'
import { anyEmail, signUp } from './support/people.ts'
import { type ServiceProcess, startProcess } from './support/processes.ts'

const root = path.join(import.meta.dirname, '..')
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

function blocksOf(document: string, language: string): string[] {
  const page = readFileSync(path.join(root, document), 'utf8')
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block = '']) => block)
}

/** The output of a document's shell blocks in one shell, without those that start the service. */
async function paste(document: string): Promise<{ success?: boolean; code?: string }[]> {
  const script = blocksOf(document, 'sh')
    .filter((block) => !block.startsWith('npm '))
    .join('\n')
    .replaceAll('http://127.0.0.1:3000', development.address)
  const shell = spawn('bash', ['--norc', '-eu', '-o', 'pipefail', '-c', script], {
    env: { ...process.env, TMPDIR: folder },
  })
  const [output, errors] = await Promise.all([text(shell.stdout), text(shell.stderr)])
  assert.equal(errors, '')
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('the documents', () => {
  it('have a working first minute in the README', async () => {
    const answers = await paste('README.md')
    assert.deepEqual(
      answers.map(({ success }) => success),
      [true, true, true],
    )
  })

  it('have a working tutorial with exactly the refusals that it names', async () => {
    const page = readFileSync(path.join(root, 'docs/tutorial.md'), 'utf8')
    const named = [...page.matchAll(/4\d\d `([a-z_]+)`/g)].map(([, code]) => code)
    assert.equal(named.length, 3)
    const answers = await paste('docs/tutorial.md')
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
