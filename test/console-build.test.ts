import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'

// scripts/console.ts in a project of its own, whose builds are a few lines instead of Vite.

const here = path.join(import.meta.dirname, '..')
const script = readFileSync(path.join(here, 'scripts/console.ts'), 'utf8')
/** Writes the source that it has built, as a build of Vite has its sources in it. */
const BUILD = `
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
const [, , folder] = process.argv
const source = readFileSync('console/src/main.ts', 'utf8')
if (source === 'broken') throw new Error('no such export')
mkdirSync(folder, { recursive: true })
writeFileSync(folder + '/index.html', source)
if (existsSync('edit')) {
  writeFileSync('console/src/main.ts', readFileSync('edit', 'utf8'))
  rmSync('edit')
}
`
let project: string
const inProject = (...parts: string[]) => path.join(project, ...parts)
const write = (file: string, text: string) => {
  mkdirSync(path.dirname(inProject(file)), { recursive: true })
  writeFileSync(inProject(file), text)
}
const edit = (text: string) => write('console/src/main.ts', text)

beforeEach(() => {
  project = mkdtempSync(path.join(tmpdir(), 'tenantry-build-'))
  mkdirSync(inProject('node_modules/vite'), { recursive: true })
  mkdirSync(inProject('scripts'))
  copyFileSync(path.join(here, 'scripts/console.ts'), inProject('scripts/console.ts'))
  write('package.json', '{ "type": "module" }')
  write('console/index.html', '')
  write('console/build.ts', BUILD)
  for (const [, file = ''] of script.matchAll(/'((?:src|package)[\w./-]+\.\w+)'/g)) write(file, '')
  edit('one')
})
afterEach(() => rmSync(project, { recursive: true }))

/** As `npm start` runs it. */
const start = () =>
  new Promise<{ code: number; said: string }>((resolve) => {
    execFile(process.execPath, ['scripts/console.ts'], { cwd: project }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), said: stdout + stderr }),
    )
  })
/** What the service would serve. */
const served = () =>
  readFileSync(inProject('console/dist', readFileSync(inProject('console/dist/current'), 'utf8'), 'index.html'), 'utf8')
const left = () => readdirSync(inProject('console/dist'))

describe('the build of the console', () => {
  it('is made when the sources have changed, and not again', async () => {
    assert.match((await start()).said, /^Built the console in /)
    assert.equal(served(), 'one')
    assert.deepEqual(await start(), { code: 0, said: '' })
    edit('two')
    assert.match((await start()).said, /^Built/)
    assert.equal(served(), 'two')
    edit('one')
    assert.deepEqual(await start(), { code: 0, said: '' })
    assert.equal(served(), 'one')
  })

  it('is whole after two starts at once', async () => {
    const starts = await Promise.all([start(), start(), start()])
    assert.deepEqual(
      starts.map(({ code }) => code),
      [0, 0, 0],
    )
    assert.equal(served(), 'one')
    assert.equal(left().length, 2)
  })

  it('that fails says why, and leaves the one before', async () => {
    await start()
    edit('broken')
    const failed = await start()
    assert.equal(failed.code, 1)
    assert.match(failed.said, /The console could not be built:[\s\S]*no such export/)
    assert.equal(served(), 'one')
    assert.equal(left().length, 2)
    edit('two')
    assert.equal((await start()).code, 0)
    assert.equal(served(), 'two')
  })

  it('is never kept under the name of other sources, such as ones that were edited during it', async () => {
    write('edit', 'two')
    const { code } = await start()
    assert.deepEqual([code, served(), left().length], [0, 'two', 2])
    edit('one')
    assert.match((await start()).said, /^Built/)
    assert.equal(served(), 'one')
  })

  it('keeps the three newest, for services that still run', async () => {
    for (const text of ['one', 'two', 'three', 'four', 'five']) {
      edit(text)
      await start()
    }
    assert.equal(left().length, 4)
    assert.equal(served(), 'five')
  })

  it('is not made where there is no Vite, which is said where it is older than its sources', async () => {
    rmSync(inProject('node_modules/vite'), { recursive: true })
    assert.deepEqual(await start(), { code: 0, said: '' })
    mkdirSync(inProject('node_modules/vite'))
    await start()
    rmSync(inProject('node_modules/vite'), { recursive: true })
    edit('two')
    const { code, said } = await start()
    assert.equal(code, 0)
    assert.match(said, /older than its sources/)
    assert.equal(served(), 'one')
  })

  it('is made from every file that it imports', () => {
    const named = script.match(/'[\w.*{},/-]+'/g)?.map((text) => text.slice(1, -1)) ?? []
    const sources = new Set(named.flatMap((pattern) => globSync(pattern, { cwd: here })))
    const outside = globSync('console/src/**/*.{ts,tsx}', { cwd: here })
      .filter((file) => !file.endsWith('.test.ts'))
      .flatMap((file) =>
        [...readFileSync(path.join(here, file), 'utf8').matchAll(/^import (?!type )[^\n]*'(\.[^']+)'/gm)].map(
          ([, target = '']) => path.join(path.dirname(file), target),
        ),
      )
      .filter((file) => !file.startsWith('console/'))
    assert.ok(outside.length > 3)
    for (const file of outside) {
      assert.ok(existsSync(path.join(here, file)), file)
      assert.ok(sources.has(file), `${file} is no source of the build`)
    }
  })
})
