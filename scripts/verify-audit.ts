import { readFileSync } from 'node:fs'
import { verifyExport } from '../src/features/audit/export/verify-export.ts'
import { readOptions } from './options.ts'

// Verifies an export of the audit log with the public keys alone, or names the first invalid record:
// npm run verify-audit -- export.ndjson --keys jwks.json

const HELP = `npm run verify-audit -- export.ndjson --keys jwks.json

Verifies an export of the audit log with the public keys of /.well-known/jwks.json alone, or names the first record that
was changed, added or removed. Exit codes: 0 valid, 1 invalid, 2 the files could not be read.`

const { values, positionals } = readOptions(
  HELP,
  { options: { keys: { type: 'string' } }, allowPositionals: true },
  {
    exitCode: 2,
    check({ values, positionals }) {
      if (positionals.length !== 1 || !values.keys)
        throw new Error('One file and --keys are required: npm run verify-audit -- export.ndjson --keys jwks.json')
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
