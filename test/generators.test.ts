import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { Story } from './generators/story.ts'
import { startTestApp, type TestApp } from './support/app.ts'
import { testServer } from './support/database.ts'

const root = path.join(import.meta.dirname, '..')
const DOCUMENT = path.join(root, 'docs/openapi.json')
const own = path.join(root, 'test/generators')

/** How each generator is called, in the folder that test/generators is copied to. */
const commands = {
  'openapi-typescript': ['openapi-typescript', DOCUMENT, '--output', 'openapi-typescript/generated/schema.ts'],
  'hey-api': ['openapi-ts', '--file', 'hey-api/openapi-ts.config.mjs', '--silent', '--no-log-file'],
  orval: ['orval', '--config', 'orval/orval.config.mjs', '--log-level', 'warn'],
}
const names = Object.keys(commands) as (keyof typeof commands)[]

// What is generated does not depend on the database: once is enough.
const isRepetition = testServer().binDir !== undefined

describe('a generated client', { skip: isRepetition }, () => {
  let folder: string
  let service: TestApp
  before(async () => {
    folder = copyOfGenerators()
    await Promise.all(names.map((name) => run(folder, commands[name])))
    service = await startTestApp()
  })
  after(async () => {
    await service.close()
    rmSync(path.dirname(folder), { recursive: true })
  })

  it('compiles under strict rules, together with its story', async () => {
    await run(folder, ['tsc', '--project', '.'])
  })

  for (const name of names)
    it(`sets token and company once, and knows problems by their codes: ${name}`, async () => {
      const { tell } = (await import(path.join(folder, name, 'story.ts'))) as { tell: Story }
      const account = { password: 'Correct-horse-7', taxId: 'B-123' }
      const ann = { ...account, name: 'Ann', email: `ann@${name}.example`, companyName: `Acme by ${name}` }
      const eve = { ...account, name: 'Eve', email: `eve@${name}.example`, companyName: `Evil by ${name}` }

      const { missing, emails, roleIds, refusal } = await tell(service.address, { ann, eve })

      assert.deepEqual([missing, emails, refusal.code], ['company_header_missing', [ann.email], 'not_a_member'])
      const owners = await service.db.query<{ id: string }>(
        `select roles.id from roles join companies on companies.id = roles.company_id
         where companies.name = $1 and roles.system_key = 'owner'`,
        [ann.companyName],
      )
      assert.deepEqual(roleIds, [owners[0]?.id])
      assert.ok(refusal.message.length > 10)
    })
})

describe('the document', () => {
  const parts = [...partsOf(JSON.parse(readFileSync(DOCUMENT, 'utf8')))]

  it('has only patterns that Java, Python and JavaScript read alike, with whichever flags', () => {
    const patterns = [
      ...new Set(parts.flatMap(({ part: { pattern } }) => (typeof pattern === 'string' ? [pattern] : []))),
    ]
    assert.ok(patterns.length > 10)
    for (const pattern of patterns) {
      // Unicode properties, long escapes, octal escapes, classes that differ between languages, and looking around.
      assert.doesNotMatch(pattern, /\\[pPkKbBAzZGdDwWvhRX0-9]|\\[uxN]\{|\(\?(?!:)|\[[^\]]*(\[|&&|--|~~)/, pattern)
      assert.doesNotThrow(() => [new RegExp(pattern), new RegExp(pattern, 'u'), new RegExp(pattern, 'v')], pattern)
    }
  })

  it('gives a type to every schema that lists values', () => {
    const listing = parts.filter(({ part }) => Array.isArray(part.enum) || 'const' in part)
    assert.ok(listing.length > 100)
    assert.deepEqual(
      listing.filter(({ part }) => part.type === undefined).map(({ place }) => place),
      [],
    )
  })
})

type Part = Record<string, unknown>

/** Every object of the document, but for those of its examples. */
function* partsOf(part: unknown, place = ''): Generator<{ part: Part; place: string }> {
  if (typeof part !== 'object' || part === null) return
  if (!Array.isArray(part)) yield { part: part as Part, place }
  for (const [key, inner] of Object.entries(part))
    if (!/^examples?$/.test(key)) yield* partsOf(inner, `${place}/${key}`)
}

/** Packages are found from there as they are from the project: those of the generators first. */
function copyOfGenerators(): string {
  const outside = mkdtempSync(path.join(tmpdir(), 'tenantry-generators-'))
  const folder = path.join(outside, 'generators')
  cpSync(own, folder, { recursive: true, filter: (source) => path.basename(source) !== 'node_modules' })
  symlinkSync(path.join(root, 'node_modules'), path.join(outside, 'node_modules'))
  symlinkSync(path.join(own, 'node_modules'), path.join(folder, 'node_modules'))
  return folder
}

/** A program that the packages bring along. */
async function run(cwd: string, [program = '', ...args]: string[]): Promise<void> {
  const programs = [own, root].map((where) => path.join(where, 'node_modules/.bin'))
  const env = { ...process.env, DOCUMENT, PATH: [...programs, process.env.PATH].join(path.delimiter) }
  await promisify(execFile)(program, args, { cwd, env }).catch(({ stdout, stderr, message }) =>
    assert.fail(`${message}\n${stdout}${stderr}`),
  )
}
