import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, it } from 'node:test'
import { readConfig } from './config.ts'
import { SECRET_SETTINGS } from './secret-files.ts'
import { settings } from './settings.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-secrets-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const SECRET = 'uq3Zx9Lr0mVb7TfKd2WsYc5NhPjE8gAo'

function fileWith(text: string): string {
  const file = path.join(mkdtempSync(path.join(folder, 'x-')), 'secret')
  writeFileSync(file, text)
  return file
}

const linesFor = (environment: Record<string, string>): string[] => {
  try {
    readConfig({ APP_SECRET: SECRET, ...environment })
  } catch (error) {
    return (error as Error).message.split('\n')
  }
  return []
}

it('reads each secret from the file that its variable names', () => {
  const values: Record<(typeof SECRET_SETTINGS)[number], string> = {
    DATABASE_URL: 'postgres://u:p@db/tenantry',
    MIGRATE_DATABASE_URL: 'postgres://u:p@db:5433/tenantry',
    REDIS_URL: 'redis://:p@cache',
    APP_SECRET: SECRET,
    APP_SECRET_PREVIOUS: SECRET.toLowerCase(),
    SMTP_URL: 'smtp://u:p@mail.example.com',
    SWAGGER_PASSWORD: 'long password',
  }
  const files = SECRET_SETTINGS.map((name) => [`${name}_FILE`, fileWith(`${values[name]}\n`)])
  assert.deepEqual(readConfig(Object.fromEntries(files)), readConfig(values))
})

it('knows every setting that can contain a secret', () => {
  const withSecret = Object.keys(settings.shape).filter((name) => /SECRET|_PASSWORD$|(?<!APP)_URL$/.test(name))
  assert.deepEqual(withSecret.toSorted(), SECRET_SETTINGS.toSorted())
})

it('reports a file that is missing, empty, too large or no file in one line without its content', () => {
  const missing = path.join(folder, 'nowhere')
  const below = path.join(folder, 'folder')
  mkdirSync(below)
  const cases: [string, string][] = [
    [missing, "REDIS_URL_FILE names a file that can't be read: ENOENT"],
    [below, 'REDIS_URL_FILE names no file'],
    [fileWith(' \n'), 'REDIS_URL_FILE names an empty file'],
    [fileWith('x'.repeat(65_537)), 'REDIS_URL_FILE names a file of more than 65536 bytes'],
    [fileWith('http://user:hidden@host'), 'REDIS_URL is not a redis: or rediss: address'],
  ]
  for (const [file, expected] of cases) {
    const [line = '', ...others] = linesFor({ REDIS_URL_FILE: file })
    assert.deepEqual(others, [])
    assert.equal(line.replaceAll('//', ''), expected)
  }
})

it('refuses a variable beside its file', () => {
  const lines = linesFor({ REDIS_URL: 'redis://cache', REDIS_URL_FILE: fileWith('redis://other') })
  assert.deepEqual(lines, ['REDIS_URL_FILE is set together with REDIS_URL: set one of them'])
})

it('does not call a required setting missing when its file is wrong', () => {
  const lines = linesFor({
    NODE_ENV: 'production',
    APP_SECRET: '',
    APP_SECRET_FILE: path.join(folder, 'nowhere'),
    APP_URL: 'https://app.example.com',
    DATABASE_URL: 'postgres://db/x',
    MAIL_FROM: 'a@example.com',
    SMTP_URL: 'smtp://mail',
  })
  assert.deepEqual(lines, ["APP_SECRET_FILE names a file that can't be read: ENOENT"])
})
