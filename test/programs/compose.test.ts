import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { it } from 'node:test'
import { parse } from 'yaml'
import { read } from '../support/deploy.ts'

const VARIABLES = { APP_SECRET: 'secret', DATABASE_PASSWORD: 'password' }

it('docker-compose accepts the compose file, and only with all of its variables', () => {
  const { services } = parse(resolve(VARIABLES).stdout)
  assert.equal(services.tenantry.environment.APP_SECRET, VARIABLES.APP_SECRET)
  for (const name of Object.keys(VARIABLES)) {
    const { status, stderr } = resolve({ ...VARIABLES, [name]: '' })
    assert.notEqual(status, 0)
    assert.match(stderr, /deploy\/\.env has to set it/)
  }
})

it('docker-compose refuses a field that it does not know', () => {
  const { status, stderr } = resolve(VARIABLES, (file) => file.replaceAll('read_only:', 'readonly:'))
  assert.notEqual(status, 0)
  assert.match(stderr, /Unsupported config option .*'readonly'/)
})

/** The file as the program understands it. Debian's version 1.29 is older than the name at the top. */
function resolve(
  variables: Record<string, string>,
  change: (file: string) => string = (file) => file,
): { status: number | null; stdout: string; stderr: string } {
  const input = change(read('deploy/compose.yaml').replace(/^name: .*\n/m, ''))
  const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', ...variables }
  const result = spawnSync('docker-compose', ['--file', '-', 'config'], { input, env, encoding: 'utf8' })
  if (result.error) throw new Error('This test needs the Debian package docker-compose', { cause: result.error })
  return result
}
