import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'

const root = path.join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

const documents = [...globSync('*.md', { cwd: root }), ...globSync('docs/**/*.md', { cwd: root })]

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
      const [place = '', heading] = to.split('#')
      return {
        document,
        text: text.replace(/\s+/g, ' '),
        file: place ? path.join(path.dirname(document), place) : document,
        heading,
      }
    }),
)

describe('the documents', () => {
  it('are those that a newcomer is sent to', () => {
    for (const document of ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/architecture.md', 'docs/security.md'])
      assert.ok(documents.includes(document), document)
    assert.ok(links.length > 100)
  })

  it('link only to files and headings that are there', () => {
    const dead = links.filter(({ file, heading }) => !existsSync(path.join(root, file)) || !hasHeading(file, heading))
    assert.deepEqual(
      dead.map(({ document, file, heading }) => `${document}: ${file}#${heading ?? ''}`),
      [],
    )
  })

  it('leave no files of their commands in the clone, where the checks would find them', () => {
    for (const [, block = ''] of read('README.md').matchAll(/^```sh\n([\s\S]*?)^```/gm))
      if (/ > [\w.-]+$/m.test(block)) assert.match(block, /^cd "\$\(mktemp -d\)"/)
  })

  it('quote promises as they stand in the tests that they link to', () => {
    const quoted = links.filter(({ text }) => /^“.*”$/.test(text))
    assert.ok(quoted.length > 50)
    const broken = quoted.filter(({ text, file }) => !promises(file).some((name) => name.startsWith(text.slice(1, -1))))
    assert.deepEqual(
      broken.map(({ document, text, file }) => `${document}: ${text} is no promise of ${file}`),
      [],
    )
  })
})

function withoutCode(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')
}

function hasHeading(file: string, heading: string | undefined): boolean {
  if (heading === undefined) return true
  const headings = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return headings.includes(heading)
}

/** What a test file promises; names that are made from values are known by what comes before the value. */
function promises(file: string): string[] {
  return [...read(file).matchAll(/\bit\(\s*(['"`])(.*?)\1,/gs)].map(([, , name = '']) => name.replaceAll("\\'", "'"))
}

/** How many requirements each section of ASVS 5.0.0 has, by chapter: they are numbered from 1 on. */
const REQUIREMENTS = [
  [2, 10, 12, 3, 3],
  [3, 3, 5, 2],
  [1, 3, 5, 8, 8, 1, 5],
  [5, 5, 2, 4],
  [1, 6, 3, 3],
  [3, 12, 8, 6, 8, 4, 2, 4],
  [3, 4, 2, 5, 3, 2],
  [4, 4, 3, 2],
  [3, 4],
  [2, 3, 5, 16, 5, 2, 3],
  [4, 5, 5, 4, 2, 2, 2],
  [5, 2, 5],
  [4, 6, 4, 7],
  [2, 8, 3],
  [5, 5, 7, 4],
  [1, 5, 4, 3, 4],
  [2, 8, 2],
]

const STATES = ['met', 'partly', 'not met', 'n/a'] as const
type State = (typeof STATES)[number]

describe('the page on security', () => {
  const page = read('docs/security.md')
  const rows = [
    ...page.matchAll(/^\| (\d+\.\d+\.)(\d+)(?:–(\d+))? +\| ([123–]+) +\| (.+?) +\| (.+?) +\| (.+?) +\|$/gm),
  ].flatMap(([, section = '', first, last = first, level, what, state, how]) => {
    const numbers = Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i)
    return numbers.map((number) => ({ number: `${section}${number}`, level, what, state: state as State, how }))
  })

  it('says of every requirement of ASVS, once and in order, how it is met or why it is not', () => {
    const all = REQUIREMENTS.flatMap((sections, chapter) =>
      sections.flatMap((count, section) =>
        Array.from({ length: count }, (_, i) => `${chapter + 1}.${section + 1}.${i + 1}`),
      ),
    )
    assert.deepEqual(
      rows.map(({ number }) => number),
      all,
    )
    for (const { number, state } of rows) assert.ok(STATES.includes(state), `${number}: ${state}`)
  })

  it('calls nothing met without a source, a test or a section that shows it', () => {
    const bare = rows.filter(({ state, how = '' }) => state === 'met' && !/\]\([^)]+\)/.test(how))
    assert.deepEqual(
      bare.map(({ number }) => number),
      [],
    )
  })

  it('counts what it says', () => {
    const counted = REQUIREMENTS.map((_, index) => {
      const own = rows.filter(({ number }) => number.startsWith(`${index + 1}.`))
      return STATES.map((state) => own.filter((row) => row.state === state).length)
    })
    const told = [...page.matchAll(/^\| V\d+ .*?\|((?: +\d+ +\|){4})$/gm)].map(([, cells = '']) =>
      cells.split('|').slice(0, 4).map(Number),
    )
    assert.deepEqual(told, counted)
  })

  it('names every source that does cryptography or makes secrets', () => {
    const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !/\.test\.ts$/.test(file))
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
