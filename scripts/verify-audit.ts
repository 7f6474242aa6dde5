import { readFileSync } from 'node:fs'
import { verifyExport } from '../src/features/audit/chain/verify-export.ts'
import { readOptions } from './options.ts'

// Proves an export of the audit with the public keys alone, or names the first record that is not as it was sealed:
// npm run verify-audit -- export.ndjson --keys jwks.json

const HELP = `npm run verify-audit -- export.ndjson --keys jwks.json

Proves an export of the audit with the public keys of /.well-known/jwks.json alone, or names the first record that is not
as it was sealed. Exit codes: 0 proven, 1 not proven, 2 could not be read.`

const { values, positionals } = readOptions(
  HELP,
  { options: { keys: { type: 'string' } }, allowPositionals: true },
  {
    exitCode: 2,
    check({ values, positionals }) {
      if (positionals.length !== 1 || !values.keys)
        throw new Error('It needs one file and --keys: npm run verify-audit -- export.ndjson --keys jwks.json')
    },
  },
)
const [file, keys] = [positionals[0] as string, values.keys as string]

try {
  const verdict = await verifyExport(file, JSON.parse(readFileSync(keys, 'utf8')))
  console.log(verdict.text)
  process.exitCode = verdict.valid ? 0 : 1
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}
