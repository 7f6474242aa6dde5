import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { isFunction, type Migration, readMigrations } from '../src/database/migration-files.ts'
import { readOptions } from './options.ts'

const HELP = `npm run release -- VERSION [--commit]

Writes into migrations/released.json which files of migrations/ the release VERSION brings, with their checksums. From then
on the tests refuse an edit of these migrations: docs/decisions/0025-migrations.md.

  --commit   writes into releases.json that the last commit is the release, from which a test starts it beside later
             versions; no commit can name itself, so this is a commit of its own`

interface Entry {
  release: string
  checksum: string
}

const { positionals, values } = readOptions(HELP, {
  allowPositionals: true,
  options: { commit: { type: 'boolean', default: false } },
})
const [version] = positionals

if (!version) {
  console.error(HELP)
  process.exitCode = 1
} else if (values.commit) {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
  update<string>('releases.json', (releases) => ({ ...releases, [version]: commit }))
} else {
  update<Entry>('migrations/released.json', (released) =>
    Object.fromEntries(readMigrations().map((file) => entryOf(file, released))),
  )
}

// A migration stays as it was first released; of a function the text of the last release counts.
function entryOf(file: Migration, released: Record<string, Entry>): [string, Entry] {
  const before = released[file.name]
  const stays = before && (!isFunction(file) || before.checksum === file.checksum)
  return [file.name, stays ? before : { release: version as string, checksum: file.checksum }]
}

function update<Value>(file: string, change: (content: Record<string, Value>) => Record<string, Value>): void {
  writeFileSync(file, `${JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8'))), null, 2)}\n`)
}
