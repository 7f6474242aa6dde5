import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

// Writes the types of the TypeScript client from the OpenAPI document. With --check it fails when the committed ones
// differ. The generator needs TypeScript 5, so it is installed in test/generators, where it is also tried by itself.
const FILE = 'clients/typescript/src/schema.ts'
const GENERATORS = 'test/generators'

/** Types need neither, and they would be half of the file. */
const LEFT_OUT = new Set(['example', 'examples', 'headers'])

const document = withoutExamples(JSON.parse(fs.readFileSync('docs/openapi.json', 'utf8')))
const { resolve } = createRequire(path.resolve(GENERATORS, 'package.json'))
const program = path.join(path.dirname(resolve('openapi-typescript/package.json')), 'bin/cli.js')
const input = JSON.stringify(document)
const text = execFileSync(process.execPath, [program], { cwd: GENERATORS, input, encoding: 'utf8' })

if (!process.argv.includes('--check')) fs.writeFileSync(FILE, text)
else if (!fs.existsSync(FILE) || fs.readFileSync(FILE, 'utf8') !== text) {
  console.error(`${FILE} is out of date: npm run client-types`)
  process.exitCode = 1
}

/** Below `properties` keys are names of fields: one may be called `example`. */
function withoutExamples(part: unknown, areNames = false): unknown {
  if (Array.isArray(part)) return part.map((each) => withoutExamples(each))
  if (typeof part !== 'object' || part === null) return part
  const entries = Object.entries(part).filter(([key]) => areNames || !LEFT_OUT.has(key))
  return Object.fromEntries(entries.map(([key, each]) => [key, withoutExamples(each, key === 'properties')]))
}
