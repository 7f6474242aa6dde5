import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import {
  productionConfig,
  read,
  readImage,
  readYaml,
  root,
  SECRET,
  secondsOf,
  stopSecondsMax,
} from '../support/deploy.ts'

const FILE = 'deploy/compose.yaml'
const [compose] = readYaml(FILE)
const { tenantry, database, mail } = compose.services
const image = readImage()

/** What the comment at the top of the file writes into deploy/.env. */
const variables: Record<string, string> = { APP_SECRET: SECRET, DATABASE_PASSWORD: '0a1b2c' }

const filledIn = Object.fromEntries(
  Object.entries<string>(tenantry.environment).map(([name, value]) => [
    name,
    value.replace(/\$\{(\w+)(:\?[^}]*)?\}/g, (_, variable: string) => variables[variable] ?? `no ${variable}`),
  ]),
)
const config = productionConfig({ ...image.env, ...filledIn })

describe('the compose file', () => {
  it('connects the service only to services that it starts before', () => {
    const urls = [config.databaseUrl, config.redisUrl, config.smtpUrl].map((url) => new URL(url ?? ''))
    for (const { hostname } of urls) assert.ok(hostname in compose.services, hostname)
    const [{ hostname: databaseHost }, { hostname: redisHost }] = urls as [URL, URL]
    for (const name of [databaseHost, redisHost]) {
      assert.equal(tenantry.depends_on[name].condition, 'service_healthy')
      assert.ok(compose.services[name].healthcheck.test.length > 1)
    }
  })

  it('says how to make each variable that it needs', () => {
    const needed = [...read(FILE).matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
    assert.deepEqual([...new Set(needed)].sort(), Object.keys(variables).sort())
    for (const name of needed) assert.match(read(FILE), new RegExp(`^#.*printf.*${name}=%s`, 'm'))
  })

  it('publishes the port of APP_URL to this machine alone', () => {
    assert.deepEqual(tenantry.ports, [`127.0.0.1:${new URL(config.appUrl ?? '').port}:${image.port}`])
    for (const { ports = [] } of Object.values<{ ports?: string[] }>(compose.services))
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:/)
    assert.equal(database.ports, undefined)
    assert.ok(mail.ports.length > 0)
  })

  it('lets a stop end, and the service change nothing', () => {
    assert.ok(secondsOf(tenantry.stop_grace_period) > stopSecondsMax(config))
    assert.deepEqual([tenantry.read_only, tenantry.cap_drop], [true, ['ALL']])
    assert.deepEqual(tenantry.security_opt, ['no-new-privileges:true'])
    assert.equal('user' in tenantry || 'command' in tenantry || 'entrypoint' in tenantry, false)
  })

  it('builds the image of this project, and creates the role and the database of DATABASE_URL', () => {
    assert.equal(path.join('deploy', tenantry.build), '.')
    const [script = ''] = database.volumes.filter((volume: string) => volume.includes('initdb'))
    const file = path.join('deploy', script.split(':')[0])
    assert.ok(existsSync(path.join(root, file)))
    const { username, password, pathname } = new URL(config.databaseUrl ?? '')
    assert.match(read(file), new RegExp(`^create role ${username} login `, 'm'))
    assert.match(read(file), new RegExp(`^create database ${pathname.slice(1)} owner ${username} encoding 'UTF8'`, 'm'))
    const [, variable = ''] = /^\\getenv password (\w+)$/m.exec(read(file)) ?? []
    assert.equal(database.environment[variable], `\${DATABASE_PASSWORD}`)
    assert.equal(password, variables.DATABASE_PASSWORD)
  })
})
