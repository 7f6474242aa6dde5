import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'
import { fixes } from '../scripts/mutations/fixes.ts'

it('every fix that `npm run mutations` removes occurs exactly once in its file', () => {
  const root = path.join(import.meta.dirname, '..')
  for (const { without, edits } of fixes)
    for (const { file, find } of edits)
      assert.equal(readFileSync(path.join(root, file), 'utf8').split(find).length, 2, `${without}: ${file}`)
})
