import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, it } from 'node:test'

function run(script: string, ...options: string[]) {
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://unknown@127.0.0.1:1/nowhere',
    APP_SECRET: randomBytes(48).toString('base64'),
    APP_URL: 'https://app.example.com',
    MAIL_FROM: 'Tenantry <no-reply@example.com>',
    SMTP_URL: 'smtp://127.0.0.1:1',
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...options], { encoding: 'utf8', env })
  return { status, stdout, stderr }
}

const commands = ['test', 'rights', 'release'].map((name) => `scripts/${name}.ts`)

describe('a command', () => {
  it('prints what it does with --help, and does nothing else', () => {
    for (const command of [...commands, 'fuzz/main.ts']) {
      const { status, stdout, stderr } = run(command, '--help')
      assert.deepEqual([status, stderr], [0, ''], command)
      assert.match(stdout, /^npm (test|run )/, command)
    }
  })

  it('refuses a wrong option with one line and an exit code', () => {
    for (const command of [...commands, 'fuzz/main.ts']) {
      const { status, stdout, stderr } = run(command, '--nonsense')
      assert.equal(status, 1, command)
      assert.equal(stdout, '', command)
      assert.match(stderr, /^[^\n]*--nonsense[^\n]*\n$/, command)
    }
  })
})

it('npm test names a missing file in one line', () => {
  const { status, stdout, stderr } = run('scripts/test.ts', 'test/scripts.test.ts', 'test/nowhere.test.ts')
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^No such test file: test\/nowhere\.test\.ts[^\n]*\n$/)
})

it('npm run seed refuses the default password in production', () => {
  for (const options of [[], ['--password', 'Correct-horse-7']]) {
    const { status, stdout, stderr } = run('src/cli/main.ts', 'seed', ...options)
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /^In production the default password can not be used[^\n]*\n$/)
  }
})

it('names a .env that can’t be read in one line', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-env-'))
  mkdirSync(path.join(folder, '.env'))
  const boot = import.meta.resolve('../scripts/boot.mjs')
  const { status, stderr } = spawnSync(process.execPath, ['--import', boot, '-e', '0'], {
    cwd: folder,
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  assert.equal(status, 1)
  assert.match(stderr, /^The file \.env can't be read: [^\n]+\n$/)
})
