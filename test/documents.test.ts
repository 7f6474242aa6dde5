import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'

const root = path.join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

const documents = ['*.md', 'docs/**/*.md', 'clients/*/*.md'].flatMap((pattern) => globSync(pattern, { cwd: root }))

interface Link {
  document: string
  text: string
  /** From the root of the project; the document itself where only a heading is named. */
  file: string
  heading: string | undefined
}

const links: Link[] = documents.flatMap((document) =>
  [...withoutCode(read(document)).matchAll(/\[([^\]]*)\]\(([^)\s]+)\)/g)]
    .filter(([, , to = '']) => !/^[a-z]+:/.test(to))
    .map(([, text = '', to = '']) => {
      const [target = '', heading] = to.split('#')
      return {
        document,
        text: text.replace(/\s+/g, ' '),
        file: target ? path.join(path.dirname(document), target) : document,
        heading,
      }
    }),
)

describe('the documents', () => {
  it('include those that a newcomer is sent to', () => {
    for (const document of ['CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...globSync('docs/*.md', { cwd: root })])
      assert.ok(
        links.some(({ document: from, file }) => from === 'README.md' && file === document),
        document,
      )
    assert.ok(links.length > 100)
  })

  it('begin with a README that fits on a page', () => {
    assert.ok(read('README.md').split('\n').length <= 91)
  })

  it('link only to files and headings that exist', () => {
    const dead = links.filter(({ file, heading }) => !existsSync(path.join(root, file)) || !hasHeading(file, heading))
    assert.deepEqual(
      dead.map(({ document, file, heading }) => `${document}: ${file}#${heading ?? ''}`),
      [],
    )
  })

  it('link to test files that have tests', () => {
    const tests = links.filter(({ file }) => file.endsWith('.test.ts'))
    assert.ok(tests.length > 100)
    for (const { document, file } of tests) assert.match(read(file), /\bit\(/, `${document}: ${file}`)
  })

  it('name the file that a link to the source leads to', () => {
    const misnamed = links.filter(
      ({ text, file }) => /^[\w-]+(\.[\w-]+)*\.ts$/.test(text) && path.basename(file) !== text,
    )
    assert.deepEqual(
      misnamed.map(({ document, text, file }) => `${document}: ${text} leads to ${file}`),
      [],
    )
  })

  it('leave no files of their commands in the clone, where the checks would find them', () => {
    for (const document of ['README.md', 'docs/tutorial.md']) {
      const blocks = [...read(document).matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block)
      const firstWriter = blocks.findIndex((block) => / > [\w.-]+$/m.test(block))
      const firstMove = blocks.findIndex((block) => block.startsWith('cd "$(mktemp -d)"'))
      assert.ok(firstMove >= 0 && firstMove <= firstWriter, document)
    }
  })
})

function withoutCode(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')
}

/** Whether GitHub gives a heading of the file this anchor. */
function hasHeading(file: string, heading: string | undefined): boolean {
  if (heading === undefined) return true
  const headings = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return headings.includes(heading)
}

describe('the page on the architecture', () => {
  const page = read('docs/architecture.md')
  const tree = pathsIn(/^```\n(docs\/[\s\S]*?)^```/m.exec(page)?.[1] ?? '')

  it('shows only files and folders that exist', () => {
    assert.deepEqual(
      tree.filter((each) => !existsSync(path.join(root, each))),
      [],
    )
  })

  it('shows every folder of the source, and every file beside them', () => {
    const entries = readdirSync(path.join(root, 'src'), { recursive: true, withFileTypes: true })
    const real = entries
      .filter((entry) => entry.isDirectory() || entry.parentPath === path.join(root, 'src'))
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)) + (entry.isDirectory() ? '/' : ''))
    assert.ok(real.length > 20)
    assert.deepEqual(tree.filter((each) => /^src\/./.test(each)).sort(), real.sort())
  })

  it('lists every function that bypasses row-level security', () => {
    const definitions = globSync('migrations/**/*.sql', { cwd: root })
      .flatMap((file) => read(file).split(/^(?=create (?:or replace )?function )/m))
      .filter((text) => /^create .*function /.test(text) && /\bsecurity definer\b/.test(text.split('$$')[0] as string))
    const names = new Set(definitions.map((text) => /function (\w+)/.exec(text)?.[1]))
    assert.ok(names.size > 20)
    const list = page.slice(page.indexOf('`security definer` functions'), page.indexOf('## Locks'))
    const listed = [...list.matchAll(/^- (`\w+`(?:, `\w+`)*)/gm)].flatMap(([, group = '']) => group.match(/\w+/g) ?? [])
    assert.deepEqual([...names].sort(), listed.sort())
  })
})

/** The paths of a tree in which each level is two spaces deeper, folders end in a slash, and two spaces end a name. */
function pathsIn(tree: string): string[] {
  const above: string[] = []
  return tree
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const depth = line.search(/\S/) / 2
      above.splice(depth, above.length, line.trim().split('  ')[0] as string)
      return above.join('')
    })
}

describe('the page on security', () => {
  it('names every source that does cryptography or creates secrets', () => {
    const page = read('docs/security.md')
    const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
    const users = sources.filter((file) =>
      /node:crypto|@node-rs\/argon2|\bcrypto\.(subtle|random|get)/.test(read(file)),
    )
    assert.ok(users.length > 5)
    const inventory = page.slice(
      page.indexOf('## Cryptography'),
      page.indexOf('## ', page.indexOf('## Cryptography') + 3),
    )
    assert.deepEqual(
      users.filter((file) => !inventory.includes(`(../${file})`)),
      [],
    )
  })
})
