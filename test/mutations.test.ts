import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import { fixes } from '../scripts/mutations/fixes.ts'
import { rules } from '../scripts/mutations/rules.ts'

it('every fix or rule that `npm run mutations` removes occurs exactly once in its file', () => {
  const root = path.join(import.meta.dirname, '..')
  for (const { without, edits } of [...fixes, ...rules])
    for (const { file, find } of edits)
      assert.equal(readFileSync(path.join(root, file), 'utf8').split(find).length, 2, `${without}: ${file}`)
})

it('every rule names tests that are there', () => {
  const root = path.join(import.meta.dirname, '..')
  for (const { without, tests } of rules)
    for (const file of tests) assert.ok(existsSync(path.join(root, file)), `${without}: ${file}`)
})
