import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { verifyExport } from '../src/features/audit/offline.ts'

// Proves an export of the audit with the public keys alone, or names the first record that is not as it was sealed:
// npm run verify-audit -- export.ndjson --keys jwks.json

const { file, keys } = readOptions()
try {
  const verdict = await verifyExport(file, JSON.parse(readFileSync(keys, 'utf8')))
  console.log(verdict.text)
  process.exitCode = verdict.valid ? 0 : 1
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}

function readOptions(): { file: string; keys: string } {
  try {
    const { values, positionals } = parseArgs({ options: { keys: { type: 'string' } }, allowPositionals: true })
    const [file] = positionals
    if (!file || !values.keys || positionals.length > 1) throw new Error('It needs one file and --keys')
    return { file, keys: values.keys }
  } catch (error) {
    console.error(`${(error as Error).message}: npm run verify-audit -- export.ndjson --keys jwks.json`)
    process.exit(2)
  }
}
