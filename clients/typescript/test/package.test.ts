import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { publint } from 'publint'
import { testServer } from '../../../test/support/database.ts'

const here = path.join(import.meta.dirname, '..')
const root = path.join(here, '../..')
const SIZE_MAX = 8 * 1024

// What is built does not depend on the database: once is enough.
describe('the package', { skip: testServer().binDir !== undefined }, () => {
  let folder: string
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'tenantry-client-'))
    await run(process.execPath, [path.join(here, 'build.ts'), folder], root)
  })
  after(() => rmSync(folder, { recursive: true }))

  it('is small: under 8 kB for a browser, without React', async () => {
    const bundle = async (entry: string) => {
      const { outputFiles } = await build({
        stdin: { contents: `export * from './${entry}.js'`, resolveDir: folder },
        nodePaths: [path.join(root, 'node_modules')],
        external: ['react'],
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'browser',
        write: false,
      })
      return gzipSync(outputFiles[0]?.contents ?? '').length
    }
    assert.ok((await bundle('index')) < SIZE_MAX, `${await bundle('index')} bytes`)
    assert.ok((await bundle('react')) < 1024)
  })

  it('has every file that its manifest names, and nothing of the workspace', () => {
    const files = readdirSync(folder)
    const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
    const named = Object.values<Record<string, string>>(manifest.exports).flatMap((each) => Object.values(each))
    assert.equal(named.length, 6)
    for (const file of [...named, 'README.md', 'LICENSE']) assert.ok(files.includes(path.basename(file)), file)
    assert.deepEqual(
      Object.keys(manifest).filter((key) => /devDependencies|scripts|private|workspaces/.test(key)),
      [],
    )
    for (const file of files) {
      const text = readFileSync(path.join(folder, file), 'utf8')
      assert.doesNotMatch(text, /(from |import\()['"]\.[^'"]*\.ts['"]/, file)
    }
  })

  it('is well formed for Node and bundlers, with and without types', async () => {
    const { messages } = await publint({ pkgDir: folder, strict: true })
    assert.deepEqual(messages, [])
    await run('npm', ['pack', '--silent'], folder)
    const [archive = ''] = readdirSync(folder).filter((file) => file.endsWith('.tgz'))
    await run('attw', ['--profile', 'esm-only', '--no-color', path.join(folder, archive)], root)
  })
})

async function run(program: string, args: string[], cwd: string): Promise<void> {
  const PATH = [path.join(root, 'node_modules/.bin'), process.env.PATH].join(path.delimiter)
  await promisify(execFile)(program, args, { cwd, env: { ...process.env, PATH } }).catch(
    ({ stdout, stderr, message }) => assert.fail(`${message}\n${stdout}${stderr}`),
  )
}
