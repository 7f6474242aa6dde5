import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { systemRoles } from '../src/access/system-roles.ts'
import { APP_URL, useTestApp } from './support/app.ts'
import { Client } from './support/client.ts'
import { checkAnswersFrom } from './support/contract.ts'
import { confirmFactor } from './support/factors.ts'
import { assertProblem, PASSWORD, signIn, signUp } from './support/people.ts'
import { type ServiceProcess, startProcess } from './support/processes.ts'
import { checkOut, releases } from './support/releases.ts'
import { paste, refusalsIn } from './support/shell-blocks.ts'

const [version, commit] = releases.at(-1) as [string, string]
const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-released-'))

const APP_SECRET = randomBytes(32).toString('base64url')
const service = await useTestApp({ APP_SECRET })
let release: ReturnType<typeof checkOut>
let released: ServiceProcess
before(async () => {
  release = checkOut(version, commit)
  // What an upgrade after this one may bring. Without it nothing would be new as long as this version has no migration of its own.
  await service.db.query(`
    create table later (id uuid primary key);
    alter table accounts add column later text;
    insert into schema_migrations (name, checksum, kind) values ('9999_later.sql', 'later', 'expand')`)
  released = await startProcess(service, { checkout: release.folder, settings: { APP_SECRET, APP_URL } })
})
after(async () => {
  await released?.close()
  release?.remove()
  rmSync(folder, { recursive: true, force: true })
})

describe(`Release ${version}, beside this version and on the schema of a later one,`, () => {
  it('runs its tutorial with the refusals that it names, and this version goes on with the outcome', async () => {
    const options = { address: released.address, folder, checkout: release.folder }
    const refused = (await paste('docs/tutorial.md', options)).filter(({ success }) => !success)
    assert.deepEqual(
      refused.map(({ code }) => code),
      refusalsIn('docs/tutorial.md', release.folder),
    )
    const ann = await signIn(service.client, 'ann@example.org', 'Another-horse-8')
    assert.equal((await ann.api.get('/companies/audit/verify')).body.data.valid, true)
  })

  it('serves the sessions and companies that this version opens', async () => {
    const zoe = await signUp(service.client)
    checkAnswersFrom(JSON.parse(readFileSync(path.join(release.folder, 'docs/openapi.json'), 'utf8')), released.address)
    const there = new Client(`${released.address}/api`, { token: zoe.accessToken, company: zoe.company.id })
    assert.equal((await there.patch(`/companies/${zoe.company.id}`, { name: 'Renamed there' })).status, 200)
    assert.equal((await zoe.api.get('/companies')).body.data[0].name, 'Renamed there')
  })

  it('creates companies whose system roles give what they give in this version', async () => {
    const zoe = await signUp(service.client)
    const there = new Client(`${released.address}/api`, { token: zoe.accessToken })
    const { status, body } = await there.post('/companies', { name: 'Made there', taxId: 'T-9' })
    assert.equal(status, 201)
    const { data } = (await zoe.api.get('/companies/roles', { company: body.data.id })).body
    const given = data.map((role: { name: string; permissions: string[] }) => [role.name, role.permissions])
    assert.deepEqual(
      Object.fromEntries(given),
      Object.fromEntries(systemRoles.map((role) => [role.name, role.permissions])),
    )
  })

  it('opens no session for an account with a second factor, which it does not know of', async () => {
    const zoe = await signUp(service.client)
    const there = new Client(`${released.address}/api`)
    const credentials = { email: zoe.email, password: PASSWORD }
    assert.equal((await there.post('/auth/login', credentials)).status, 200)
    const factor = await confirmFactor(service.db, zoe.id)
    const sessions = () => service.db.query('select id from sessions where account_id = $1', [zoe.id])
    const before = await sessions()

    const refused = await there.post('/auth/login', credentials)
    assertProblem(refused, 503, 'database_unavailable')
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.deepEqual(await sessions(), before)
    // What was open before goes on, and the next account can sign in by the same connection.
    assert.equal((await there.get('/auth/me', { token: zoe.accessToken })).status, 200)
    await service.db.query('delete from second_factors where id = $1', [factor])
    assert.equal((await there.post('/auth/login', credentials)).status, 200)
  })
})
