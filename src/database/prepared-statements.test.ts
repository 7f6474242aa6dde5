import assert from 'node:assert/strict'
import { it } from 'node:test'
import { preparedStatement } from './prepared-statements.ts'

it('a constant statement is prepared, whatever the query builder has composed before', () => {
  const composed = Array.from({ length: 600 }, (_, index) => preparedStatement(`select ${index}`))
  assert.equal(composed[0]?.name, preparedStatement('select 0').name)
  assert.equal(composed.at(-1)?.name, '')
  assert.notEqual(preparedStatement('select 1 as constant', { isConstant: true }).name, '')
})
