import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { publint } from 'publint'
import { startTestApp, type TestApp } from '../../../test/support/app.ts'
import { testServer } from '../../../test/support/database.ts'
import { signUp } from '../../../test/support/people.ts'

const here = path.join(import.meta.dirname, '..')
const root = path.join(here, '../..')
const SIZE_MAX = 8 * 1024

// What is built does not depend on the database: once is enough.
describe('the package', { skip: testServer().binDir !== undefined }, () => {
  let folder: string
  let service: TestApp
  before(async () => {
    service = await startTestApp()
    folder = mkdtempSync(path.join(tmpdir(), 'tenantry-client-'))
    await run(process.execPath, [path.join(here, 'build.ts'), folder], root)
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true })
  })

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

  it('gives the typed member list of its README to an empty project, in five lines', async () => {
    const project = emptyProject(folder)
    const { email, name } = await signUp(service.client)
    const [, block = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(path.join(here, 'README.md'), 'utf8')) ?? []
    assert.equal(block.trim().split('\n').filter(Boolean).length, 5)
    const code = block.replace('http://localhost:3000', service.address).replace('ann@example.com', email)
    const main = path.join(project, 'src/main.ts')
    writeFileSync(main, code)

    await run('tsc', ['--project', project], project)
    assert.equal(await run(process.execPath, [main], project), `${name} [ 'Owner' ]\n`)
    writeFileSync(main, code.replace('member.name', 'member.nickname'))
    await assert.rejects(run('tsc', ['--project', project], project), /nickname/)
    rmSync(project, { recursive: true })
  })

  it('is well formed for Node and bundlers, with and without types', async () => {
    const { messages } = await publint({ pkgDir: folder, strict: true })
    assert.deepEqual(messages, [])
    await run('npm', ['pack', '--silent'], folder)
    const [archive = ''] = readdirSync(folder).filter((file) => file.endsWith('.tgz'))
    await run('attw', ['--profile', 'esm-only', '--no-color', path.join(folder, archive)], root)
  })
})

/** What `npm create vite` and `npm install` leave behind. */
function emptyProject(built: string): string {
  const project = mkdtempSync(path.join(tmpdir(), 'tenantry-project-'))
  const packages = path.join(project, 'node_modules')
  cpSync(built, path.join(packages, '@tenantry/client'), { recursive: true })
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    module: 'esnext',
    moduleResolution: 'bundler',
    moduleDetection: 'force',
    types: [],
    strict: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    verbatimModuleSyntax: true,
    noEmit: true,
  }
  writeFileSync(path.join(project, 'package.json'), '{ "type": "module" }')
  writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
  mkdirSync(path.join(project, 'src'))
  return project
}

async function run(program: string, args: string[], cwd: string): Promise<string> {
  const PATH = [path.join(root, 'node_modules/.bin'), process.env.PATH].join(path.delimiter)
  const outcome = await promisify(execFile)(program, args, { cwd, env: { ...process.env, PATH } }).catch(
    ({ stdout, stderr, message }) => assert.fail(`${message}\n${stdout}${stderr}`),
  )
  return outcome.stdout
}
