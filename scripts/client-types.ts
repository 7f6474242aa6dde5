import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

// Writes the types of the TypeScript client from the OpenAPI document. With --check it fails when the committed ones
// differ. The generator needs TypeScript 5, so it is installed in test/generators, where it is also tried by itself.
const FILE = 'clients/typescript/src/schema.ts'
const GENERATORS = 'test/generators'

/** Types need neither: they would make nine tenths of the file. */
const LEFT_OUT = new Set(['example', 'examples', 'headers'])

const document = JSON.parse(fs.readFileSync('docs/openapi.json', 'utf8'), function (this: unknown, key, value) {
  return LEFT_OUT.has(key) && !isNamedByUser(this) ? undefined : value
})
const { resolve } = createRequire(path.resolve(GENERATORS, 'package.json'))
const program = path.join(path.dirname(resolve('openapi-typescript/package.json')), 'bin/cli.js')
const input = JSON.stringify(document)
const text = execFileSync(process.execPath, [program], { cwd: GENERATORS, input, encoding: 'utf8' })

if (!process.argv.includes('--check')) fs.writeFileSync(FILE, text)
else if (!fs.existsSync(FILE) || fs.readFileSync(FILE, 'utf8') !== text) {
  console.error(`${FILE} is out of date: npm run client-types`)
  process.exitCode = 1
}

/** Keys of `properties` are names of fields: one may be called `example`. */
function isNamedByUser(part: unknown): boolean {
  return Object.values(part as object).every((each) => typeof each === 'object' && each !== null && isSchema(each))
}
function isSchema(part: object): boolean {
  return 'type' in part || '$ref' in part || 'allOf' in part
}
