import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startTestApp } from '../../../test/support/app.ts'
import { testBrand } from '../../../test/support/brand.ts'
import { type ConsoleBuild, findConsoleBuild } from './build.ts'
import { consoleDocument } from './document.ts'
import { CONSOLE_PATHS } from './paths.ts'

const DOCUMENT = `<!doctype html>
<html lang="en">
<head>
<title></title>
<script src="./scheme.js"></script>
<script type="module" src="./assets/index-1.js"></script>
</head>
</html>
`
const SCRIPT = `console.log(${'1 + '.repeat(500)} 1)`

const dist = mkdtempSync(path.join(tmpdir(), 'tenantry-console-'))
mkdirSync(path.join(dist, 'one', 'assets'), { recursive: true })
writeFileSync(path.join(dist, 'one', 'index.html'), DOCUMENT)
writeFileSync(path.join(dist, 'one', 'scheme.js'), '// first')
writeFileSync(path.join(dist, 'one', 'assets', 'index-1.js'), SCRIPT)
writeFileSync(path.join(dist, 'one', 'assets', 'index-1.js.gz'), gzipSync(SCRIPT))
writeFileSync(path.join(dist, 'current'), 'one')
const consoleBuild = findConsoleBuild(dist) as ConsoleBuild

const service = await startTestApp({ RATE_LIMIT_ENABLED: 'true' }, undefined, { consoleBuild })
after(async () => {
  await service.close()
  rmSync(dist, { recursive: true, force: true })
})

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const get = (url: string, init: RequestInit = {}) => fetch(service.address + url, { headers: BROWSER, ...init })
const addresses = CONSOLE_PATHS.map((each) => each.replace(/\$\w+/g, '01890000-0000-7000-8000-000000000000'))

describe('the console', () => {
  for (const address of addresses) {
    it(`is a document that runs nothing foreign: ${address}`, async () => {
      const answer = await get(`${address}?token=secret`)
      const body = await answer.text()
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(answer.headers.get('cache-control'), 'no-cache')
      assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
      assert.match(
        answer.headers.get('content-security-policy') ?? '',
        /^default-src 'none'; script-src 'self'; style-src 'self';.*require-trusted-types-for 'script'; trusted-types 'none'$/,
      )
      assert.doesNotMatch(body + JSON.stringify([...answer.headers]), /secret|<style|<script[^>]*>[^<]|unsafe/)
      assert.match(body, /<title>Tenantry<\/title>.*"\/console\/scheme\.js".*"\/console\/assets\/index-1\.js"/s)
    })
  }

  it('is asked for again and not sent again', async () => {
    const etag = (await get('/')).headers.get('etag') ?? ''
    const again = await get('/', { headers: { ...BROWSER, 'if-none-match': etag } })
    assert.deepEqual([again.status, await again.text()], [304, ''])
    assert.deepEqual([(await get('/', { method: 'HEAD' })).status], [200])
  })

  it('is nothing that a program gets which asks for JSON', async () => {
    for (const accept of ['application/json', 'application/json, text/plain, */*', 'application/problem+json, */*']) {
      const answer = await get('/sign-in', { headers: { accept } })
      assert.equal(answer.status, 404, accept)
      assert.equal(((await answer.json()) as { code: string }).code, 'route_not_found')
    }
    for (const accept of ['*/*', 'TEXT/HTML', 'text/html, application/json'])
      assert.equal((await get('/sign-in', { headers: { accept } })).status, 200, accept)
  })

  it('leaves all other addresses as they are, for browsers too', async () => {
    for (const address of [
      '/nowhere',
      '/c',
      '/api/nowhere',
      '/c/x/nowhere',
      '/api/companies',
      '/console/',
      '/index.html',
    ]) {
      const answer = await get(address)
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/, address)
      assert.ok([401, 404].includes(answer.status), address)
    }
    assert.equal((await get('/.well-known/jwks.json')).status, 200)
    assert.equal((await get('/', { method: 'POST' })).status, 404)
  })

  it('has files that are kept for good, compressed where the browser can read that', async () => {
    const answer = await get('/console/assets/index-1.js', { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(answer.headers.get('content-encoding'), 'gzip')
    assert.equal(await answer.text(), SCRIPT)
    const plain = await get('/console/assets/index-1.js', { headers: { 'accept-encoding': 'identity' } })
    assert.deepEqual([plain.headers.get('content-encoding'), await plain.text()], [null, SCRIPT])
  })

  it('has no other files', async () => {
    const names = [
      '',
      '../index.html',
      '%2e%2e/index.html',
      '..%2findex.html',
      'nowhere.js',
      'INDEX-1.js',
      'index-1.js/',
    ]
    writeFileSync(path.join(dist, 'one', 'assets', 'later.js'), SCRIPT)
    for (const name of [...names, 'index-1.js.gz', 'later.js', 'index-1.js%00']) {
      const answer = await get(`/console/assets/${name}`)
      assert.deepEqual(
        [answer.status, ((await answer.json()) as { code: string }).code],
        [404, 'route_not_found'],
        name,
      )
    }
    assert.equal((await get('/console/assets/index-1.js', { method: 'POST' })).status, 404)
    assert.equal((await get('/console/assets/index-1.js', { method: 'HEAD' })).status, 200)
  })

  it('gets its colors and its first script from the service, asked for again each time', async () => {
    const theme = await get('/console/theme.css')
    assert.match(await theme.text(), /--accent: light-dark\(#1f7a5c, #1f7a5c\)/)
    assert.equal(theme.headers.get('cache-control'), 'no-cache')
    assert.equal(await (await get('/console/scheme.js')).text(), '// first')
    assert.equal((await get('/pages/logo.svg')).status, 200)
  })

  it('counts against no limit', async () => {
    for (let count = 0; count < 40; count++) assert.equal((await get('/')).status, 200)
    assert.equal((await get('/console/theme.css')).headers.get('ratelimit'), null)
  })
})

describe('the document', () => {
  const facts = {
    brand: testBrand({ name: '$& <Acme>' }),
    documentation: true,
    mailbox: false,
    signUp: 'invited' as const,
  }

  it('has the name of the product as text', () => {
    const source = consoleDocument(DOCUMENT, { ...facts, appUrl: undefined })
    assert.match(source, /<title>\$&#38; &#60;Acme&#62;<\/title>/)
    assert.match(source, /name="developer-tools" content="documentation"/)
  })

  it('works below a path, where a proxy serves it there', () => {
    const source = consoleDocument(DOCUMENT, { ...facts, appUrl: 'https://example.com/portal/' })
    assert.match(source, /name="base-path" content="\/portal"/)
    assert.match(source, /src="\/portal\/console\/assets\/index-1\.js"/)
  })
})

describe('a build', () => {
  it('is only there when it is whole', () => {
    assert.equal(findConsoleBuild(path.join(dist, 'nowhere')), undefined)
    const half = mkdtempSync(path.join(tmpdir(), 'tenantry-console-'))
    writeFileSync(path.join(half, 'current'), 'one')
    assert.equal(findConsoleBuild(half), undefined)
    mkdirSync(path.join(half, 'one'))
    for (const name of ['index.html', 'scheme.js']) {
      writeFileSync(path.join(half, 'one', name), '')
      assert.equal(findConsoleBuild(half), undefined, name)
    }
    mkdirSync(path.join(half, 'one', 'assets'))
    assert.ok(findConsoleBuild(half))
    rmSync(half, { recursive: true })
  })
})
