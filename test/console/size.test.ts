import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import { languages } from '../../src/lib/languages.ts'
import { useConsole } from './support/console.ts'
import { signUp } from './support/people.ts'

const DIST = path.join(import.meta.dirname, '..', '..', 'console', 'dist')
const ASSETS = path.join(DIST, readFileSync(path.join(DIST, 'current'), 'utf8'), 'assets')
const FIRST_KB_MAX = 180
const ALL_KB_MAX = 350
const site = await useConsole()

/** As it travels. */
const kilobytes = (names: string[]) =>
  names.reduce((sum, name) => sum + statSync(path.join(ASSETS, `${name}.gz`)).size, 0) / 1000

it('loads little JavaScript for the first page', async () => {
  const visit = await site.open()
  const names = new Set<string>()
  visit.page.on('request', (request) => {
    const [, name] = /\/console\/assets\/([^/]+\.js)$/.exec(request.url()) ?? []
    if (name) names.add(name)
  })
  await visit.goto('/sign-in')
  await visit.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await visit.page.waitForLoadState('networkidle')
  assert.ok(names.size > 3)
  assert.ok(kilobytes([...names]) <= FIRST_KB_MAX, `${kilobytes([...names])} kB`)
  await visit.close()
})

it('has little JavaScript altogether, in all languages', () => {
  const names = globSync('*.js', { cwd: ASSETS })
  for (const language of languages) assert.ok(names.some((name) => name.startsWith(`text-${language}-`)))
  assert.ok(kilobytes(names) <= ALL_KB_MAX, `${kilobytes(names)} kB`)
})

it('needs few calls for a page', async () => {
  const visit = await site.open()
  await signUp(visit)
  await visit.page.waitForLoadState('networkidle')
  const before = visit.calls.length
  await visit.page.reload()
  await visit.page.getByRole('heading', { level: 1 }).waitFor()
  await visit.page.waitForLoadState('networkidle')
  const made = visit.calls.slice(before)
  // Whose session it is, what they may do, and two of the page.
  assert.deepEqual(made.slice(0, 2), ['POST /api/auth/refresh', 'GET /api/auth/me'])
  assert.ok(made.length <= 4, made.join(', '))
  await visit.close()
})
