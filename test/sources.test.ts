import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'

const root = path.join(import.meta.dirname, '..')

/** What runs in production: of `src` everything but tests. */
const sources = globSync('src/**/*.{ts,js}', { cwd: root })
  .sort()
  .filter((file) => !/\.test\.ts$|\/testing\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }))

const filesWith = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file)

describe('the service', () => {
  it('runs no text as code', () => {
    assert.deepEqual(filesWith(/\beval\(|\bnew Function\(|node:vm|\bimport\((?!['"`])/), [])
  })

  it('writes what people wrote into a page as text, never as HTML', () => {
    assert.deepEqual(filesWith(/\b(innerHTML|outerHTML|insertAdjacentHTML|srcdoc|document\.write)\b/), [
      'src/features/mail/mailbox-pages.ts', // Its `srcdoc` is an attribute that is escaped like any other.
    ])
  })

  it('starts no other program but its own PostgreSQL', () => {
    const starters = filesWith(/node:(child_process|cluster|worker_threads)/)
    assert.ok(starters.length > 0)
    for (const file of starters) assert.match(file, /^src\/database\/embedded\//)
  })

  it('calls nobody but PostgreSQL, Redis and the mail server: addresses that people wrote are never fetched', () => {
    assert.deepEqual(filesWith(/\bfetch\(/), ['src/features/pages/assets/page.js'])
    assert.deepEqual(filesWith(/from 'undici'|node:(https|http2|dgram|tls)'|\b(net|http)\.(connect|request|get)\(/), [])
    const talkers = filesWith(/from '(pg|ioredis|nodemailer)'/).filter((file) => !file.startsWith('src/database/'))
    assert.deepEqual(talkers, ['src/features/mail/smtp.ts', 'src/http/limits.ts'])
  })

  it('puts no text of a request into SQL: statements are built from fixed parts and parameters', () => {
    assert.deepEqual(filesWith(/\bsql\.raw\(/), [])
  })

  it('rolls no dice that can be foretold, and knows no hash that is broken', () => {
    assert.deepEqual(filesWith(/Math\.random|['"](md5|sha1|ripemd160)['"]|aes-\d+-(ecb|cbc|ctr)|\brc4\b|\bdes\b-/i), [])
  })
})
