import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import fastify, { type FastifyInstance } from 'fastify'
import { testBrand } from '../../../test/support/brand.ts'
import { defaultHeaders } from '../../http/headers.ts'
import { NewPassword } from '../accounts/password-policy.ts'
import { servePages } from './routes.ts'

const PAGES = [
  '/',
  '/?token=secret',
  '/verify-email',
  '/verify-email?token=secret',
  '/reset-password',
  '/reset-password?token=secret',
  '/undo-email-change',
  '/undo-email-change?token=secret',
  '/undo-factor-change',
  '/undo-factor-change?token=secret',
  '/cancel-factor-reset',
  '/cancel-factor-reset?token=secret',
  '/invitation',
  '/invitation?token=secret',
]
const SIGN_IN = 'https://app.example.com/a?b&c'
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

let app: FastifyInstance

before(async () => {
  app = fastify()
  // What the service does to every answer, and a page must not suffer from.
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(defaultHeaders('a-request'))
  })
  await servePages(app, testBrand(), { signIn: SIGN_IN, documentation: false, mailbox: false })
  await app.listen({ host: '127.0.0.1', port: 0 })
})
after(() => app.close())

describe('the pages that emails link to', () => {
  for (const address of PAGES) {
    it(`are HTML that is never kept and runs nothing foreign: ${address}`, async () => {
      const answer = await app.inject(address)

      assert.equal(answer.statusCode, 200)
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.equal(answer.headers['referrer-policy'], 'no-referrer')
      assert.equal(answer.headers['content-security-policy'], POLICY)
      assert.match(answer.body, /^<!doctype html>\n<html lang="en">/)
      assert.match(answer.body, /<noscript>/)
    })

    it(`never repeat a token: ${address}`, async () => {
      const { body, headers } = await app.inject(address)

      assert.doesNotMatch(body + JSON.stringify(headers), /secret/)
    })

    it(`name only files that are served, and these only such: ${address}`, async () => {
      const files = filesIn((await app.inject(address)).body, `http://localhost${address}`)
      assert.ok(files.size >= 4)

      for (const file of files) {
        const answer = await app.inject(file)
        assert.equal(answer.statusCode, 200, file)
        for (const imported of filesIn(answer.body, `http://localhost${file}`)) files.add(imported)
      }
    })

    it(`carry no script, style or handler in the HTML, which the policy would block: ${address}`, async () => {
      const { body } = await app.inject(address)

      assert.doesNotMatch(body, /<script[^>]*>[^<]|<style|\sstyle=|\son\w+=/)
      assert.deepEqual(new Set(body.match(/https?:[^"]*/g)), new Set(body.match(/https:..app.example.com.a\?b&#38;c/g)))
    })
  }
})

describe('the files of the pages', () => {
  const types = {
    '/pages/pages.css': 'text/css; charset=utf-8',
    '/pages/home.js': 'application/javascript; charset=utf-8',
    '/pages/verify-email.js': 'application/javascript; charset=utf-8',
    '/pages/undo-email-change.js': 'application/javascript; charset=utf-8',
    '/pages/undo-factor-change.js': 'application/javascript; charset=utf-8',
    '/pages/cancel-factor-reset.js': 'application/javascript; charset=utf-8',
    '/pages/reset-password.js': 'application/javascript; charset=utf-8',
  }
  for (const [file, type] of Object.entries(types)) {
    it(`are kept by browsers but asked for again: ${file}`, async () => {
      const first = await app.inject(file)
      assert.equal(first.statusCode, 200)
      assert.equal(first.headers['content-type'], type)
      assert.equal(first.headers['cache-control'], 'no-cache')

      const again = await app.inject({ url: file, headers: { 'if-none-match': first.headers.etag } })
      assert.equal(again.statusCode, 304)
      assert.equal(again.body, '')
    })
  }

  const elsewhere = [
    '/pages/../routes.ts',
    '/pages/%2e%2e/routes.ts',
    '/pages/%2e%2e%2froutes.ts',
    '/pages/..%5croutes.ts',
    '/pages/assets/pages.css',
    '/pages/home.html',
    '/pages/verify-email.html',
    '/pages/reset-password.html',
    '/pages/',
    '/pages',
  ]
  for (const path of elsewhere) {
    it(`are all that is there: ${path}`, async () => {
      assert.equal(await statusOf(path), 404)
    })
  }
})

describe('the page at the root', () => {
  const development = ['api/docs', 'dev/mail']
  const served = [
    { documentation: false, mailbox: false, links: [] },
    { documentation: false, mailbox: true, links: [] },
    { documentation: true, mailbox: false, links: ['api/docs'] },
    { documentation: true, mailbox: true, links: development },
  ]
  for (const { links, ...parts } of served) {
    it(`leads to the reset of a password, and for developers to what is served: ${JSON.stringify(parts)}`, async () => {
      const alone = fastify()
      await servePages(alone, testBrand(), { ...parts, signIn: undefined })
      const { body } = await alone.inject('/')

      const found = [...body.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href)
      assert.deepEqual(found, ['reset-password', ...links])
      assert.equal(body.includes('data-text="development"'), links.length > 0)
      assert.match(body, /<\/div>\s*<\/main>\s*<\/body>\s*<\/html>\s*$/)
    })
  }

  it('shows its links only together with their text', async () => {
    const { body } = await app.inject('/')
    const [, shown = ''] = /^(.*)<div id="ways" hidden>/s.exec(body) ?? []

    assert.match(shown, /<noscript>/)
    assert.doesNotMatch(shown, /<a\b/)
  })

  it('is read and never written to', async () => {
    const { statusCode, headers, body } = await app.inject({ method: 'HEAD', url: '/' })
    assert.deepEqual([statusCode, headers['content-security-policy'], body], [200, POLICY, ''])
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
      assert.equal((await app.inject({ method, url: '/' })).statusCode, 404, method)
  })

  for (const path of [
    '//',
    '/x',
    '/x-y',
    '/%2f',
    '/.',
    '/index.html',
    '/home',
    '/home.html',
    '/home.js',
    '/api',
    '/dev',
  ]) {
    it(`takes no other address: ${path}`, async () => {
      assert.equal(await statusOf(path), 404)
    })
  }
})

describe('the brand', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-pages-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const logo = path.join(folder, 'logo')
  const serve = async (settings: Parameters<typeof testBrand>[0]) => {
    const alone = fastify()
    await servePages(alone, testBrand(settings), { signIn: undefined, documentation: false, mailbox: false })
    return alone
  }

  it('is the name of the product on every page', async () => {
    const branded = await serve({ name: 'Acme & Co' })
    for (const url of ['/', '/verify-email', '/reset-password', '/undo-email-change']) {
      const { body } = await branded.inject(url)
      assert.match(body, /<title>Acme &#38; Co<.*content="Acme &#38; Co".*<span>Acme &#38; Co<\/span>/s)
      assert.doesNotMatch(body, /Tenantry/)
    }
  })

  it('is the colors of the theme', async () => {
    const css = await (await serve({ accentColor: '#ffd500' })).inject('/pages/theme.css')
    assert.equal(css.headers['content-type'], 'text/css; charset=utf-8')
    assert.equal(css.body.match(/--accent: #ffd500;/g)?.length, 2)
    const used = new Set((await app.inject('/pages/pages.css')).body.match(/var\(--[\w-]+\)/g))
    for (const name of used) if (name !== 'var(--mark)') assert.ok(css.body.includes(` ${name.slice(4, -1)}: #`), name)
  })

  it('is the logo, which as a document of its own loads and runs nothing', async () => {
    for (const [content, type] of [
      ['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'image/svg+xml'],
      [Buffer.from('89504e470d0a1a0a', 'hex'), 'image/png'],
    ] as const) {
      writeFileSync(logo, content)
      const branded = await serve({ logo })
      const [, file] = /<img src="([^"]+)"/.exec((await branded.inject('/')).body) ?? []
      const answer = await branded.inject(`/${file}`)
      assert.equal(answer.headers['content-type'], type)
      assert.deepEqual(answer.rawPayload, Buffer.from(content))
      assert.match(String(answer.headers['content-security-policy']), /^default-src 'none';.* sandbox;/)
    }
  })
})

it('ticks a password exactly when the API would take it', async () => {
  const { passwordRules } = await import(new URL('./assets/password-rules.js', import.meta.url).href)
  const isTicked = (password: string) =>
    Object.values<(password: string) => boolean>(passwordRules).every((isKept) => isKept(password))
  const passwords = [
    '',
    'Abcdef1',
    'Abcdefg1',
    'abcdefg1',
    'ABCDEFG1',
    'Abcdefgh',
    'Ébcdefg1',
    'AÉÉÉÉÉé1',
    'Abcdefg٣',
    'Ab1😀😀😀😀',
    'Ab1😀😀😀😀😀',
    `Ab1${'x'.repeat(125)}`,
    `Ab1${'x'.repeat(126)}`,
    `Ab1${'😀'.repeat(63)}`,
    `Ab1${'😀'.repeat(125)}`,
    `Ab1${'😀'.repeat(126)}`,
    '  Abc 1  ',
  ]

  for (const password of passwords) {
    assert.equal(isTicked(password), NewPassword.safeParse(password).success, JSON.stringify(password))
  }
})

it('masks a password that is typed, and lets it be pasted and kept by a password manager', async () => {
  const { body } = await app.inject('/reset-password')
  const [field = ''] = /<input\s[^>]*id="password"[^>]*>/.exec(body) ?? []
  assert.match(field, /\stype="password"/)
  assert.match(field, /\sautocomplete="new-password"/)
  assert.doesNotMatch(field, /maxlength|onpaste|readonly/)
  for (const file of filesIn(body, 'http://localhost/reset-password'))
    assert.doesNotMatch(
      (await app.inject(file)).body,
      /'(paste|copy|drop|beforeinput)'|localStorage|sessionStorage|document\.cookie/,
    )
})

function filesIn(text: string, base: string): Set<string> {
  const names = [...text.matchAll(/<(?:script|link|img)\b[^>]*\s(?:src|href)="([^"]+)"|\sfrom '([^']+)'/g)].map(
    ([, html, script]) => html ?? script,
  )
  return new Set(names.map((name) => new URL(name as string, base).pathname))
}

/** Over a socket: `inject` tidies a path before the server sees it. */
async function statusOf(path: string): Promise<number> {
  const address = new URL(app.listeningOrigin)
  return new Promise((resolve, reject) => {
    request({ host: address.hostname, port: address.port, path }, (answer) => {
      answer.resume()
      resolve(answer.statusCode as number)
    })
      .on('error', reject)
      .end()
  })
}
