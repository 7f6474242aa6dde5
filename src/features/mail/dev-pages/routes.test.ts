import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { readConfig } from '../../../config/config.ts'
import { createBasicCheck } from '../../../http/basic.ts'
import { unlimited } from '../../../http/limits/limits.ts'
import { createServer } from '../../../http/server.ts'
import { newId } from '../../../lib/ids.ts'
import { keysFrom } from '../../../lib/keys.ts'
import { languages } from '../../../lib/languages.ts'
import { linkIdFrom } from '../../../lib/secrets.ts'
import { createLog } from '../../../process/log.ts'
import type { Message } from '../templates/render-message.ts'
import { type Mailbox, openMailbox } from './mailbox.ts'
import { samplesWith } from './preview-variables.ts'
import { serveMailbox } from './routes.ts'

let dataDir: string
let mailbox: Mailbox
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tenantry-mail-'))
  mailbox = openMailbox(dataDir)
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

function message(address = 'ann@example.com', more: Partial<Message> = {}): Message {
  const to = { name: 'Ann', address }
  return { id: newId(), kind: 'password_changed', to, subject: 'Hello', text: 'Hello\n', html: '<p>Hello</p>', ...more }
}

describe('the pages of the development mailbox', () => {
  const reader = { user: 'docs', password: 'pass-word' }
  const basic = { authorization: `Basic ${Buffer.from('docs:pass-word').toString('base64')}` }
  const config = readConfig({
    APP_SECRET: 'k2h9-3jfq-8vz1-m4xw-7tbn-5rcd-0pgs',
    NODE_ENV: 'test',
    TRUST_PROXY: 'loopback',
  })
  const kinds = Object.keys(samplesWith('kid'))
  const log = createLog('silent')
  let app: FastifyInstance
  let closed: FastifyInstance

  const appWith = async (given: typeof reader | undefined) => {
    const made = await createServer({
      config,
      log,
      limits: unlimited,
      onRefused: async () => {},
    })
    const current: Mailbox = {
      put: (email) => mailbox.put(email),
      list: (to) => mailbox.list(to),
      find: (id) => mailbox.find(id),
    }
    await serveMailbox(made, {
      mailbox: current,
      brand: config.brand,
      checkCredentials: given && createBasicCheck(given),
    })
    return made
  }
  before(async () => {
    app = await appWith(reader)
    closed = await appWith(undefined)
  })
  after(() => Promise.all([app.close(), closed.close()]))

  const pages = [
    '/dev/mail',
    '/dev/mail.json',
    `/dev/mail/${newId()}`,
    '/dev/mail/preview',
    '/dev/mail/preview/reset_password',
    '/dev/mail/preview/nothing',
  ]
  const here = { remoteAddress: '127.0.0.1', headers: { host: 'localhost:3000' } }
  const elsewhere = {
    'another machine': { remoteAddress: '203.0.113.9', headers: { host: 'localhost:3000' } },
    'another machine by IPv6': { remoteAddress: '2001:db8::1', headers: { host: 'localhost:3000' } },
    'a proxy': { ...here, headers: { ...here.headers, 'x-forwarded-for': '203.0.113.9' } },
    'a proxy that claims to be local': { ...here, headers: { ...here.headers, 'x-forwarded-for': '127.0.0.1' } },
    'a proxy with the new header': { ...here, headers: { ...here.headers, forwarded: 'for=127.0.0.1' } },
    'a foreign name that leads here': { ...here, headers: { host: 'evil.example:3000' } },
    'a name that only begins well': { ...here, headers: { host: 'localhost.evil.example' } },
    'a name that only ends well': { ...here, headers: { host: 'evillocalhost' } },
  }
  for (const [who, from] of Object.entries(elsewhere)) {
    it(`need the documentation's password: ${who}`, async () => {
      for (const url of pages) {
        assert.equal((await app.inject({ url, ...from })).statusCode, 401, url)
        assert.equal((await closed.inject({ url, ...from })).statusCode, 404, url)
      }
      const wrong = { ...from.headers, authorization: `Basic ${Buffer.from('docs:wrong').toString('base64')}` }
      assert.equal((await app.inject({ url: '/dev/mail', ...from, headers: wrong })).statusCode, 401)
      const answer = await app.inject({ url: '/dev/mail', ...from, headers: { ...from.headers, ...basic } })
      assert.equal(answer.statusCode, 200)
    })
  }

  const forwarding = [
    'Forwarded',
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'X-Forwarded-Anything',
    'X-Real-IP',
    'X-Client-IP',
    'True-Client-IP',
    'X-Cluster-Client-IP',
    'X-Original-Forwarded-For',
    'X-Original-URL',
    'Via',
    'CDN-Loop',
    'CF-Connecting-IP',
    'CF-Ray',
    'Fastly-Client-IP',
    'Fly-Client-IP',
    'X-Amzn-Trace-Id',
    'X-Azure-ClientIP',
    'X-Envoy-External-Address',
    'X-Vercel-Id',
  ]
  it('are closed to requests with any header that a proxy adds', async () => {
    for (const name of forwarding) {
      const headers = { ...here.headers, [name]: '' }
      assert.equal((await closed.inject({ url: '/dev/mail', ...here, headers })).statusCode, 404, name)
    }
    const harmless = {
      accept: '*/*',
      'user-agent': 'x',
      'x-request-id': 'x',
      'x-company-id': 'x',
      'sec-fetch-mode': 'x',
    }
    const headers = { ...here.headers, ...harmless }
    assert.equal((await closed.inject({ url: '/dev/mail', ...here, headers })).statusCode, 200)
  })

  for (const host of ['127.0.0.1', '0.0.0.0', '::']) {
    it(`are ${host === '127.0.0.1' ? 'open' : 'closed'} to this machine without the password when the service listens at ${host}`, async () => {
      const [withReader, without] = [await appWith(reader), await appWith(undefined)]
      try {
        const isLocal = host === '127.0.0.1'
        for (const each of [withReader, without]) await each.listen({ host, port: 0 })
        const ask = (to: FastifyInstance, headers = {}) =>
          fetch(`http://127.0.0.1:${(to.server.address() as AddressInfo).port}/dev/mail`, { headers }).then(
            ({ status }) => status,
          )
        assert.equal(await ask(withReader), isLocal ? 200 : 401)
        assert.equal(await ask(withReader, basic), 200)
        assert.equal(await ask(without), isLocal ? 200 : 404)
      } finally {
        await Promise.all([withReader.close(), without.close()])
      }
    })
  }

  it('and the documentation count wrong passwords together', async () => {
    const checkCredentials = createBasicCheck(reader)
    const shared = await createServer({
      config,
      log,
      limits: unlimited,
      onRefused: async () => {},
    })
    await serveMailbox(shared, { mailbox, brand: config.brand, checkCredentials })
    shared.get(
      '/documentation',
      { onRequest: async (request, reply) => checkCredentials(request, reply) },
      async () => 'x',
    )
    const wrong = { authorization: `Basic ${Buffer.from('docs:wrong').toString('base64')}` }
    const ask = (url: string, headers: object) =>
      shared.inject({ url, remoteAddress: '203.0.113.9', headers: { host: 'localhost', ...headers } })
    for (let i = 0; i < 15; i++)
      for (const url of ['/dev/mail', '/documentation']) assert.equal((await ask(url, wrong)).statusCode, 401)
    for (const url of ['/dev/mail', '/documentation']) {
      const refused = await ask(url, basic)
      assert.deepEqual([refused.statusCode, refused.json().code], [429, 'rate_limited'])
    }
    assert.equal((await shared.inject({ url: '/dev/mail', ...here })).statusCode, 200)
    await shared.close()
  })

  for (const host of [
    'localhost',
    'LOCALHOST:3000',
    'app.localhost:3000',
    '127.0.0.1:3000',
    '[::1]:3000',
    '192.168.1.7',
  ]) {
    it(`are open on this machine: ${host}`, async () => {
      for (const remoteAddress of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
        assert.equal((await closed.inject({ url: '/dev/mail', remoteAddress, headers: { host } })).statusCode, 200)
      }
    })
  }

  it('escape the content of an email', async () => {
    const evil = `"><script>alert(1)</script>&amp;'`
    const email = message('ann@example.com', {
      to: { name: evil, address: 'ann@example.com' },
      subject: evil,
      text: evil,
      html: `<head>${evil}`,
    })
    await mailbox.put(email)

    for (const url of ['/dev/mail', `/dev/mail/${email.id}`]) {
      const { statusCode, body, headers } = await app.inject({ url, ...here })
      assert.equal(statusCode, 200)
      assert.doesNotMatch(body, /<script/)
      assert.ok(body.includes('&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#38;amp;&#39;'))
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(headers['cache-control'], 'no-store')
      const policy = String(headers['content-security-policy'])
      assert.match(policy, /^default-src 'none'; script-src 'none'; style-src 'sha256-[^']+' 'sha256-[^']+';/)
      assert.match(policy, /frame-ancestors 'none'/)
    }
  })

  it('show the HTML part in a frame without scripts whose links open in the window', async () => {
    const email = message('ann@example.com', {
      html: '<html><head></head><a href="https://app.example.com/x?a=1&amp;b=2">x</a>',
    })
    await mailbox.put(email)

    const { body } = await app.inject({ url: `/dev/mail/${email.id.toUpperCase()}`, ...here })

    const [, sandbox, source = ''] = /<iframe [^>]*sandbox="([^"]*)" srcdoc="([^"]*)"/.exec(body) ?? []
    assert.equal(sandbox, 'allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation')
    const shown = source.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    assert.equal(shown, email.html.replace('<head>', '<head><base target="_top">'))
  })

  it('list emails as JSON, all or those to one address', async () => {
    const [first, second] = [message(), message('bob+1@example.com')]
    await mailbox.put(first)
    await mailbox.put(second)

    const all = await app.inject({ url: '/dev/mail.json', ...here })
    const toBob = await app.inject({ url: '/dev/mail.json?to=Bob%2B1@example.com', ...here })

    assert.match(String(all.headers['content-type']), /^application\/json/)
    assert.deepEqual(
      all.json().map(({ at, ...email }: Message & { at: string }) => email),
      [second, first],
    )
    assert.deepEqual(
      toBob.json().map(({ id }: Message) => id),
      [second.id],
    )
    assert.equal((await app.inject({ url: '/dev/mail.json?to=a&to=b', ...here })).statusCode, 400)
  })

  it('answer 404 for an email that does not exist', async () => {
    for (const id of [newId(), 'x', '..%2f..%2fapp-secret', 'mail.json', '%00']) {
      assert.equal((await app.inject({ url: `/dev/mail/${id}`, ...here })).statusCode, 404, id)
    }
  })

  it('preview every kind of email in every language', async () => {
    const list = await app.inject({ url: '/dev/mail/preview', ...here })
    assert.equal(list.statusCode, 200)
    assert.doesNotMatch(list.body, /<script/)
    const addresses = [...list.body.matchAll(/href="(\/dev\/mail\/preview\/[^"]+)"/g)].map(
      ([, address]) => address as string,
    )
    assert.equal(addresses.length, kinds.length * languages.length)

    for (const address of addresses) {
      const url = address.replaceAll('&#38;', '&')
      const { statusCode, body, headers } = await app.inject({ url, ...here })
      assert.equal(statusCode, 200, url)
      assert.equal(headers['content-security-policy'], list.headers['content-security-policy'])
      const language = new URL(url, 'http://localhost').searchParams.get('language')
      assert.ok(body.includes(`srcdoc="&#60;!doctype html&#62;\n&#60;html lang=&#34;${language}&#34;&#62;`), url)
      assert.equal(body.match(/aria-current="true"/g)?.length, 2)
    }
  })

  it('preview an email in English and wide by default', async () => {
    const { body } = await app.inject({ url: '/dev/mail/preview/reset_password', ...here })
    assert.match(body, /<h1 lang="en">Reset your password</)
    assert.match(body, /<iframe class="wide"/)
    const narrow = await app.inject({ url: '/dev/mail/preview/reset_password?width=narrow&language=pt', ...here })
    assert.match(narrow.body, /<h1 lang="pt">/)
    assert.match(narrow.body, /<iframe class="narrow"/)
  })

  it('preview no working secret: each run has keys of its own', async () => {
    const token = async (from: FastifyInstance) =>
      /token=([\w-]+)/.exec(
        (await from.inject({ url: '/dev/mail/preview/reset_password', ...here })).body,
      )?.[1] as string
    const [one, other] = [await token(app), await token(closed)]

    assert.notEqual(one, other)
    assert.equal(linkIdFrom(keysFrom(config.appSecret), one), undefined)
  })

  it('refuse a preview of an unknown kind, language or width', async () => {
    for (const kind of ['nothing', 'constructor', '__proto__', '%00', 'reset_password%2f']) {
      assert.equal((await app.inject({ url: `/dev/mail/preview/${kind}`, ...here })).statusCode, 404, kind)
    }
    for (const query of ['language=xx', 'language=constructor', 'width=1', 'width=wide&width=narrow']) {
      const { statusCode } = await app.inject({ url: `/dev/mail/preview/reset_password?${query}`, ...here })
      assert.equal(statusCode, 400, query)
    }
  })
})
