import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { pageQuery } from '../src/lib/paging.ts'

const root = path.join(import.meta.dirname, '..')

/** The production sources: all of `src` except tests. */
const sources = globSync('src/**/*.{ts,js}', { cwd: root })
  .sort()
  .filter((file) => !/\.test\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }))

const filesWith = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file)

describe('the service', () => {
  it('never evaluates text as code', () => {
    assert.deepEqual(filesWith(/\beval\(|\bnew Function\(|node:vm|\bimport\((?!['"`])/), [])
  })

  it('escapes input in pages', () => {
    assert.deepEqual(filesWith(/\b(innerHTML|outerHTML|insertAdjacentHTML|srcdoc|document\.write)\b/), [
      'src/features/mail/dev-pages/mailbox-pages.ts', // Its `srcdoc` is an attribute that is escaped like any other.
    ])
  })

  it('starts no other program than its own PostgreSQL and itself', () => {
    const starters = filesWith(/node:(child_process|cluster|worker_threads)/)
    assert.ok(starters.length > 0)
    for (const file of starters) assert.match(file, /^src\/(database\/embedded\/|main\.ts|process\/workers\/)/)
    assert.deepEqual(filesWith(/node:cluster/), [
      'src/main.ts',
      'src/process/workers/handed-over.ts',
      'src/process/workers/supervisor.ts',
    ])
  })

  it('connects only to PostgreSQL, Redis, name servers, the mail server and a receiver of traces, and never fetches URLs from input', () => {
    assert.deepEqual(filesWith(/\bfetch\(/), ['src/features/pages/assets/page.js'])
    assert.deepEqual(filesWith(/from 'undici'|node:(https|http2|dgram|tls)'|\b(net|http)\.(connect|request|get)\(/), [])
    assert.deepEqual(filesWith(/'node:dns\b/), ['src/features/domains/dns.ts', 'src/process/start.ts'])
    const talkers = filesWith(/'(pg|ioredis|nodemailer|@opentelemetry\/exporter-.*)'/).filter(
      (file) => !/^src\/(database|cli\/seed)\//.test(file),
    )
    assert.deepEqual(talkers, [
      'src/features/mail/delivery/smtp.ts',
      'src/http/limits/redis-counters.ts',
      'src/tracing/start.ts',
    ])
  })

  it('builds SQL only from fixed parts and parameters', () => {
    const raw = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/\bsql\s*\.\s*raw\b(?:\(\s*(`[^`]*`|'[^'\n]*'|[^()]*?),?\s*\))?/g)].map(([, part = '?']) => ({
        file,
        part,
      })),
    )
    assert.ok(raw.length > 0)
    assert.deepEqual(
      raw.filter(({ part }) => !isFixed(part) && !/^[A-Z_]+$/.test(part)).map(({ file, part }) => `${file}: ${part}`),
      [],
    )
  })

  it('writes hot statements as constant text', () => {
    const call = /\bstatement(?:<[^(;]*>)?\(\s*(`[^`]*`|'[^'\n]*'|[^()]*?),?\s*\)/g
    const texts = sources
      .filter(({ file }) => !['src/database/queries.ts', 'src/database/fixed-statements.ts'].includes(file))
      .flatMap(({ file, text }) => [...text.matchAll(call)].map(([, part = '?']) => ({ file, part })))
    assert.ok(texts.length > 0)
    assert.deepEqual(
      texts.filter(({ part }) => !isFixed(part) && !/^[A-Z_]+$/.test(part)),
      [],
    )
    const few = sources.flatMap(({ text }) =>
      [...text.matchAll(/\breadFixed(?:<\w+>)?\(tx, ([^,]*)[,(]/g)].map(([, part]) => part),
    )
    assert.deepEqual(few.sort(), ['pageOf(conditions)', 'pageStatement(query'])
  })

  it('validates sort directions before a statement is built', () => {
    const { sortDir } = pageQuery(['name'])
    for (const direction of ['asc; select 1', 'ASC', 'asc ', '', ['asc'], { asc: 1 }, null])
      assert.equal(sortDir.safeParse(direction).success, false, String(direction))
    assert.deepEqual([sortDir.parse('asc'), sortDir.parse('desc'), sortDir.parse(undefined)], ['asc', 'desc', 'asc'])
    const schema = sources.find(({ file }) => file === 'src/features/branches/schemas.ts')
    assert.match(schema?.text ?? '', /export const BranchQuery = z\.object\(\{\s*\.\.\.pageQuery\(/)
  })

  it('uses no predictable random numbers and no broken hash functions', () => {
    const found = filesWith(/Math\.random|['"](md5|sha1|ripemd160)['"]|aes-\d+-(ecb|cbc|ctr)|\brc4\b|\bdes\b-/i)
    // Apps make their codes with HMAC-SHA-1 (RFC 6238), which the collisions of SHA-1 do not weaken.
    assert.deepEqual(found, ['src/lib/totp.ts'])
  })
})

/** Constant SQL text without values. */
const isFixed = (part: string) => /^(`[^`]*`|'[^']*')$/.test(part) && !part.includes('${')

const functions = globSync('migrations/**/*.sql', { cwd: root })
  .sort()
  .flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split(/^create (?:or replace )?function /m)
      .slice(1)
      .map((text) => ({ file, text })),
  )
  .map(({ file, text }) => ({
    file,
    name: text.slice(0, text.indexOf('(')),
    body: /\$\$([\s\S]*?)\$\$/.exec(text)?.[1] ?? '',
    text,
  }))

describe('the functions of the database', () => {
  const inFunctions = functions.filter(({ file }) => file.startsWith('migrations/functions/'))

  it('are defined once, each in the file of its name', () => {
    assert.ok(inFunctions.length > 30)
    const elsewhere = inFunctions.filter(({ file, name }) => path.basename(file, '.sql') !== name)
    assert.deepEqual(elsewhere, [])
    assert.equal(new Set(functions.map(({ name }) => name)).size, functions.length)
  })

  it('are all used: by a trigger, by the service or by another function', () => {
    const unused = inFunctions.filter(
      ({ name, text }) =>
        !text.includes(`execute function ${name}()`) &&
        filesWith(new RegExp(`\\b${name}\\b`)).length === 0 &&
        !functions.some((other) => other.name !== name && new RegExp(`\\b${name}\\(`).test(other.text)),
    )
    assert.deepEqual(unused, [])
  })
})

describe('dynamic statements', () => {
  it('are built in the database by these functions only', () => {
    assert.ok(functions.length > 10)
    const builders = functions.filter(({ body }) => /\bexecute\b/i.test(body)).map(({ name }) => name)
    assert.deepEqual([...new Set(builders)].sort(), [
      'find_audit_records', // Values, each quoted by %L.
      'find_members', // Columns that it names itself; values are parameters.
      'purge_company_batch', // Tables and conditions that migrations wrote, in a table that no role may even read.
    ])
  })
})
