import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BODY_BYTES_MAX, KEEP_ALIVE_MS, SOCKET_TIMEOUT_MS } from '../../src/http/server.ts'
import { assertSettingsExist, read, readImage, secondsOf, stopSecondsMax } from '../support/deploy.ts'

const DRAIN = { shutdownDrainMs: 5000 }

describe('the unit of systemd', () => {
  const lines = read('deploy/systemd/tenantry.service')
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line) => line.split(/=(.*)/) as [string, string])
  const valuesOf = (name: string) => lines.filter(([key]) => key === name).map(([, value]) => value)
  const environment = Object.fromEntries(valuesOf('Environment').map((value) => value.split(/=(.*)/)))

  it('starts the service with the command of npm start, and settings that exist', () => {
    const [command = ''] = valuesOf('ExecStart')
    assert.equal(command, `/opt/tenantry/node_modules/.bin/${readImage().command.join(' ')}`)
    assertSettingsExist(Object.keys(environment))
    assert.equal(environment.NODE_ENV, 'production')
    assert.equal(environment.NODE_OPTIONS, readImage().env.NODE_OPTIONS)
  })

  it('lets a stop end, and enough files be open for all connections', () => {
    assert.ok(Number(valuesOf('TimeoutStopSec')) > stopSecondsMax(DRAIN))
    assert.ok(Number(valuesOf('LimitNOFILE')) >= 20_100)
  })
})

describe('the configuration of nginx', () => {
  const text = read('deploy/nginx/tenantry.conf')
  const valuesOf = (name: string) =>
    [...text.matchAll(new RegExp(`^\\s*${name}\\s+([^;]+);`, 'gm'))].map(([, value]) => value as string)

  it('forwards every body and every response that the service allows', () => {
    const [size = ''] = valuesOf('client_max_body_size')
    assert.match(size, /^\d+k$/)
    assert.ok(Number.parseInt(size, 10) * 1024 > BODY_BYTES_MAX)
    assert.ok(secondsOf(valuesOf('proxy_read_timeout')[0] ?? '') * 1000 >= SOCKET_TIMEOUT_MS)
  })

  it('closes idle connections to a node before that does', () => {
    assert.ok(secondsOf(valuesOf('keepalive_timeout')[0] ?? '') * 1000 < KEEP_ALIVE_MS)
  })

  it('believes no address that a client claims, and logs no token', () => {
    assert.ok(valuesOf('proxy_set_header').includes('X-Forwarded-For $remote_addr'))
    assert.doesNotMatch(text, /\$(request|request_uri|args|query_string|proxy_add_x_forwarded_for)\b/)
    // nginx decodes paths: the mark before the query of a link that a mail program has encoded, too.
    assert.deepEqual(text.match(/\$uri\b/g), ['$uri'])
    const [, pattern = ''] = /^map \$uri \$path_logged \{ "~([^"]+)" \$before; \}$/m.exec(text) ?? []
    const logged = (path: string) => new RegExp(pattern).exec(path)?.groups?.before
    assert.equal(logged('/reset-password?token=secret'), '/reset-password')
    assert.equal(logged('/invitation;token=secret'), '/invitation')
    assert.equal(logged('/verify-email&token=secret'), '/verify-email')
    assert.equal(logged('/api/companies/users'), '/api/companies/users')
    const logs = valuesOf('access_log')
    assert.equal(logs.length, valuesOf('listen').length)
    for (const log of logs) assert.match(log, / path_only$/)
    // nginx names whole requests in its errors. Those of /api have no token in their query.
    const locations = [...text.matchAll(/location (\S+) \{([^}]*proxy_pass[^}]*)\}/g)]
    assert.deepEqual(
      locations.map(([, path, rules]) => [path, /error_log\s+\S+ crit;/.test(rules ?? '')]),
      [
        ['/api/', false],
        ['/', true],
      ],
    )
  })
})
