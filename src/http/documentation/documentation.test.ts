import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import vm from 'node:vm'
import { startTestApp, useTestApp } from '../../../test/support/app.ts'
import { exchange, rawRequest } from '../../../test/support/http.ts'
import { buildApp } from '../../app.ts'
import { readConfig } from '../../config/config.ts'
import { createHashing } from '../../lib/hashing.ts'
import { createLog } from '../../process/log.ts'

const service = await useTestApp({}, { servesDocumentation: true })

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
const READER = basic('docs', 'docs-password')
const read = (path: string, authorization?: string) =>
  fetch(service.address + path, { headers: authorization ? { authorization } : {}, redirect: 'manual' })

const ASSETS = [
  'swagger-ui.css',
  'index.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'swagger-initializer.js',
  'theme/layout.js',
  'theme/page.js',
  'theme/theme.css',
  'theme/page.css',
  'theme/logo.svg',
]
const EVERYTHING = [
  '/api/docs',
  '/api/docs/',
  '/api/docs-json',
  '/api/docs/json',
  '/api/docs/yaml',
  ...ASSETS.map((name) => `/api/docs/static/${name}`),
]

describe('the documentation', () => {
  for (const path of EVERYTHING) {
    it(`requires its user and password: ${path}`, async () => {
      const open = await read(path, READER)
      assert.equal(open.status, 200)
      assert.ok((await open.text()).length > 0)
      const refused = await read(path)
      assert.equal(refused.status, 401)
      assert.equal(refused.headers.get('www-authenticate'), 'Basic realm="Tenantry", charset="UTF-8"')
      assert.equal(((await refused.json()) as { code: string }).code, 'documentation_credentials_wrong')
      assert.equal((await read(path, basic('docs', 'wrong'))).status, 401)
    })
  }

  const wrong = [
    basic('docs', ''),
    basic('', 'docs-password'),
    basic('DOCS', 'docs-password'),
    basic('docs', 'docs-password '),
    basic('docs:docs-password', ''),
    'Basic',
    'Basic ',
    'Basic !!!!',
    'Bearer x',
    READER.replace('Basic ', ''),
    READER.replace('Basic', 'Basicx'),
    `${READER} ${READER}`,
    `Basic ${'A'.repeat(10_000)}`,
  ]
  for (const authorization of wrong) {
    it(`refuses wrong credentials: ${authorization.slice(0, 50)}`, async () => {
      assert.equal((await read('/api/docs-json', authorization)).status, 401)
    })
  }

  it('refuses every password from a network for a while after 30 failures, even without rate limits', async () => {
    const behind = await startTestApp({ TRUST_PROXY: 'loopback', RATE_LIMIT_ENABLED: 'false' }, service.db, {
      servesDocumentation: true,
    })
    const tryFrom = (ip: string, authorization?: string, path = '/api/docs-json') =>
      fetch(behind.address + path, { headers: { 'x-forwarded-for': ip, ...(authorization && { authorization }) } })
    const guess = (ip: string, index: number) => tryFrom(ip, basic('docs', `guess-${index}`))
    try {
      for (let i = 0; i < 40; i++) assert.equal((await tryFrom('203.0.113.1')).status, 401)
      for (let i = 0; i < 9; i++) assert.equal((await guess('203.0.113.1', i)).status, 401)
      assert.equal((await tryFrom('203.0.113.1', READER)).status, 200)

      const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => guess(`203.0.113.${i}`, i)))
      const statuses = answers.map(({ status }) => status)
      assert.equal(statuses.filter((status) => status === 401).length, 21)
      assert.equal(statuses.filter((status) => status === 429).length, 79)
      const refused = await tryFrom('203.0.113.200', READER, '/api/docs')
      assert.equal(refused.status, 429)
      assert.equal(((await refused.json()) as { code: string }).code, 'rate_limited')
      const wait = Number(refused.headers.get('retry-after'))
      assert.ok(wait > 0 && wait <= 30)
      assert.equal((await tryFrom('198.51.100.1', READER)).status, 200)
    } finally {
      await behind.close()
    }
  })

  it('is linked from the root page, with the mailbox in development', async () => {
    const home = await read('/')
    assert.equal(home.status, 200)
    const page = await home.text()
    assert.match(page, /<a href="api\/docs"/)
    assert.doesNotMatch(page, /dev\/mail/)

    const documentationCredentials = { user: 'docs', password: 'docs-password' }
    const mailbox = { put: async () => {}, list: async () => [], find: async () => undefined }
    const parts = { ...service.parts, log: createLog('silent'), documentationCredentials, mailbox }
    const { app } = await buildApp({ ...parts, isMailHealthy: () => true })
    assert.match((await app.inject('/')).body, /<a href="api\/docs".*<a href="dev\/mail"/s)
    await app.close()
  })

  it('accepts the scheme in any letter case', async () => {
    for (const scheme of ['basic', 'BASIC', 'bAsIc', 'Basic ']) {
      assert.equal((await read('/api/docs-json', READER.replace('Basic', scheme))).status, 200)
    }
  })

  it('has a content security policy that allows only its own files', async () => {
    const page = await read('/api/docs', READER)
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'self'/)
    assert.doesNotMatch(policy, /script-src[^;]*unsafe|unsafe-eval|\*|https?:/)
    const html = await page.text()
    assert.doesNotMatch(html, /<script[^>]*>[^<\s]|<script[^>]*src="(https?:)?\/\//)
    for (const [, file] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const url = new URL(file as string, `${service.address}/api/docs`)
      assert.equal((await read(url.pathname, READER)).status, 200, url.pathname)
    }
    assert.match(
      (await read('/api/docs-json', READER)).headers.get('content-security-policy') ?? '',
      /^default-src 'none'/,
    )
  })

  const elsewhere = [
    '/api/docs/static/../package.json',
    '/api/docs/static/%2e%2e/package.json',
    '/api/docs/static/..%2f..%2fpackage.json',
    '/api/docs/static/..%5cpackage.json',
    '/api/docs/static/%00',
    '/api/docs/static/.hidden',
    '/api/docs/static/nothing.js',
    '/api/docs/nothing',
  ]
  for (const path of elsewhere) {
    it(`serves no other files: ${path}`, async () => {
      // Sent unchanged, because fetch normalizes paths.
      const [answer] = await exchange(service.address, rawRequest(`GET ${path}`, { authorization: READER }))
      assert.equal(answer?.status, 404)
    })
  }

  it('refuses impossible ranges and conditions with 4xx, not with 500', async () => {
    for (const headers of [{ range: 'bytes=99999999-' }, { 'if-match': '"x"' }, { range: 'bytes=9-1,x' }]) {
      const answer = await fetch(`${service.address}/api/docs/static/index.css`, {
        headers: { authorization: READER, ...headers },
      })
      assert.ok([200, 206, 400].includes(answer.status), String(answer.status))
    }
  })

  it('is not served when it is disabled', async () => {
    const config = readConfig({
      NODE_ENV: 'test',
      APP_SECRET: 'a-secret-that-no-test-asks-for-01',
      SWAGGER_ENABLED: 'false',
    })
    assert.equal(config.documentation, undefined)
    const { database, keys } = service
    const parts = { config, database, keys, hashing: await createHashing(), log: createLog('silent') }
    const { app } = await buildApp({ ...parts, isMailHealthy: () => true })
    for (const url of EVERYTHING) {
      const answer = await app.inject({ url, headers: { authorization: READER } })
      assert.deepEqual([answer.statusCode, answer.json().code], [404, 'route_not_found'], url)
    }
    assert.doesNotMatch((await app.inject('/')).body, /api\/docs|dev\/mail/)
    await app.close()
  })
})

// biome-ignore lint/suspicious/noExplicitAny: what the page gives to Swagger UI, and the document as the page sees it.
type Json = any

describe('the page', () => {
  /** Runs the script of the page with a Swagger UI that records its calls. */
  async function openPage() {
    const script = await (await read('/api/docs/static/theme/page.js', READER)).text()
    const authorized: Record<string, string> = {}
    let config: Json
    let shown: Json
    const ui = {
      specSelectors: { specJson: () => ({ toJS: () => shown }) },
      authActions: {
        authorizeWithPersistOption: (all: Json) => {
          for (const { name, schema, value } of Object.values<Json>(all)) {
            assert.deepEqual(schema, shown.components.securitySchemes[name])
            authorized[name] = value
          }
        },
      },
    }
    const SwaggerUIBundle = (given: Json) => {
      config = given
      return ui
    }
    const window: Json = { SwaggerUIBundle }
    vm.runInNewContext(script, { window })
    window.SwaggerUIBundle({ plugins: [] })
    const { updateJsonSpec } = config.plugins[0]().statePlugins.spec.wrapActions
    updateJsonSpec((document: Json) => {
      shown = JSON.parse(JSON.stringify(document))
    })(service.document)
    return { shown, authorized, receive: config.responseInterceptor }
  }

  it('shows the document as it is, below a hint', async () => {
    const { shown } = await openPage()
    const { info, ...others } = JSON.parse(JSON.stringify(service.document)) as Json
    assert.deepEqual(shown, { ...others, info: { ...info, description: shown.info.description } })
    assert.ok(shown.info.description.endsWith(info.description) && shown.info.description.startsWith('**Try it out:**'))
  })

  it('uses the token of every tried-out answer that returns one', async () => {
    const { authorized, receive } = await openPage()
    receive({ body: { data: { accessToken: 'one', tenants: [{ id: 'acme' }, { id: 'beta' }] } } })
    assert.deepEqual(authorized, { accessToken: 'one', company: 'acme' })
    receive({ body: { data: { accessToken: 'two' } } })
    assert.deepEqual(authorized, { accessToken: 'two', company: 'acme' })
    for (const body of [undefined, {}, { data: [] }, { code: 'token_invalid' }]) receive({ body })
    assert.deepEqual(authorized, { accessToken: 'two', company: 'acme' })
  })
})

describe('the frame of the page', () => {
  /** The script of the frame, with Swagger UI listening to what it is told; `actions` are what it does to the layout. */
  async function openFrame() {
    const script = await (await read('/api/docs/static/theme/layout.js', READER)).text()
    const actions: Json[] = []
    const scrolledTo: string[] = []
    const classes = new Set<string>()
    let config: Json
    let onHashChange = () => {}
    const ui = {
      specSelectors: { specJson: () => ({ toJS: () => service.document }) },
      layoutActions: { show: (thing: Json, isShown: boolean) => actions.push([...thing, isShown]) },
    }
    const window: Json = {
      SwaggerUIBundle: (given: Json) => {
        config = given
        return ui
      },
      matchMedia: (query: string) => ({ matches: query.includes('dark'), addEventListener() {} }),
      addEventListener: (_type: string, listener: () => void) => {
        onHashChange = listener
      },
    }
    const location = { hash: '' }
    const addresses: string[] = []
    const document = {
      documentElement: { classList: { toggle: (name: string, isOn: boolean) => isOn && classes.add(name) } },
      createElement: () => ({}),
      head: { append() {} },
      getElementById: (id: string) => ({ dataset: {}, scrollIntoView: () => scrolledTo.push(id) }),
    }
    const history = { replaceState: (_state: unknown, _title: string, to: string) => addresses.push(to) }
    vm.runInNewContext(script, { window, document, location, history, performance, decodeURIComponent })
    window.SwaggerUIBundle({ plugins: [] })
    const plugin = config.plugins[0]({ React: {} })
    const goTo = (hash: string) => {
      location.hash = hash
      onHashChange()
    }
    return { config, plugin, actions, scrolledTo, classes, addresses, location, goTo }
  }

  it('starts with its groups collapsed, and dark for those who prefer that', async () => {
    const { config, classes, actions } = await openFrame()
    assert.deepEqual([config.docExpansion, config.layout], ['none', 'DocumentationLayout'])
    assert.ok(classes.has('dark-mode'))
    assert.deepEqual(actions, [])
  })

  it('lands where a link points: on the first load and later, in a group that was collapsed', async () => {
    const { config, actions, scrolledTo, location, goTo } = await openFrame()
    location.hash = '#/Members/addMember'
    config.onComplete()
    assert.deepEqual(actions.splice(0), [
      ['operations-tag', 'Members', true],
      ['operations', 'Members', 'addMember', true],
    ])
    goTo('#/Sign%20up%20and%20sign%20in')
    assert.deepEqual(actions.splice(0), [['operations-tag', 'Sign up and sign in', true]])
    assert.deepEqual(scrolledTo, ['operations-Members-addMember', 'operations-tag-Sign_up_and_sign_in'])
    for (const nowhere of ['', '#', '#/', '#x', '#/Nothing', '#/Nothing/addMember', '#/%', '#/constructor'])
      goTo(nowhere)
    assert.deepEqual([actions, scrolledTo.length], [[], 2])
  })

  it('tells the address what was opened', async () => {
    const { plugin, addresses } = await openFrame()
    const shown: Json[] = []
    const show = plugin.statePlugins.layout.wrapActions.show((...given: Json[]) => shown.push(given))
    show(['operations-tag', 'Sign up and sign in'], true)
    show(['operations', 'Members', 'addMember'], true)
    show(['operations', 'Members', 'addMember'], false)
    assert.deepEqual(addresses, ['#/Sign%20up%20and%20sign%20in', '#/Members/addMember'])
    assert.equal(shown.length, 3)
  })
})
