import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { describe, it } from 'node:test'

const root = path.join(import.meta.dirname, '..', '..')

/** Runs a program that has the handlers of the service, and tells how it ended. */
function run(statement: string) {
  const program = `
    import { endOnFaults } from './src/process/exit.ts'
    import { createLog } from './src/process/log.ts'
    endOnFaults(createLog('info'))
    const fault = Object.assign(new Error('it broke'), { code: '23505', detail: 'Key (email)=(row-value) exists' })
    setTimeout(() => console.log('still here'), 60_000)
    ${statement}`
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd: root, encoding: 'utf8' })
}

describe('a fault that nobody caught', () => {
  for (const [where, statement] of [
    ['in a callback', 'setImmediate(() => { throw fault })'],
    ['in a promise', 'Promise.reject(fault)'],
    ['that is no error', 'Promise.reject(undefined)'],
  ] as const) {
    it(`ends the process with one line in the log, and no row of the database: ${where}`, () => {
      const { status, stdout, stderr } = run(statement)
      assert.equal(status, 1)
      assert.equal(stderr, '')
      const line = JSON.parse(stdout)
      assert.deepEqual([line.level, line.msg], [60, 'ending after a fault that nobody caught'])
      if (statement.includes('fault')) assert.match(line.err.stack, /^Error: it broke\n {4}at /)
      assert.doesNotMatch(stdout, /row-value/)
    })
  }
})
