import { readFileSync, writeFileSync } from 'node:fs'
import { isFunction, readMigrations } from '../src/database/migration-files.ts'
import { readOptions } from './options.ts'

const HELP = `npm run release -- VERSION

Writes into migrations/released.json which files of migrations/ the release VERSION brings, with their checksums. From then
on the tests refuse an edit of these migrations: docs/decisions/0025-migrations.md.`

const FILE = 'migrations/released.json'
const [version] = readOptions(HELP, { allowPositionals: true }).positionals

if (!version) {
  console.error(HELP)
  process.exitCode = 1
} else {
  const released = JSON.parse(readFileSync(FILE, 'utf8'))
  const entries = readMigrations().map((file) => {
    // A migration stays as it was first released; of a function the text of the last release counts.
    const before = released[file.name]
    const stays = before && (!isFunction(file) || before.checksum === file.checksum)
    return [file.name, stays ? before : { release: version, checksum: file.checksum }]
  })
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`)
}
