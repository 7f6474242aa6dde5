import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { describe, it } from 'node:test'

const root = path.join(import.meta.dirname, '..', '..')

/** Runs a program with the error handler of the service, and returns its exit code and output. */
function run(statement: string) {
  const program = `
    import { exitOnUncaughtErrors } from './src/process/exit.ts'
    import { createLog } from './src/process/log.ts'
    exitOnUncaughtErrors(createLog('info'))
    const error = Object.assign(new Error('it broke'), { code: '23505', detail: 'Key (email)=(row-value) exists' })
    setTimeout(() => console.log('still running'), 60_000)
    ${statement}`
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd: root, encoding: 'utf8' })
}

describe('an uncaught error', () => {
  for (const [where, statement] of [
    ['in a callback', 'setImmediate(() => { throw error })'],
    ['in a promise', 'Promise.reject(error)'],
    ['that is no error', 'Promise.reject(undefined)'],
  ] as const) {
    it(`ends the process with one line in the log, which contains no row of the database: ${where}`, () => {
      const { status, stdout, stderr } = run(statement)
      assert.equal(status, 1)
      assert.equal(stderr, '')
      const line = JSON.parse(stdout)
      assert.deepEqual([line.level, line.msg], [60, 'ending after an uncaught error'])
      if (statement.includes('error')) assert.match(line.err.stack, /^Error: it broke\n {4}at /)
      assert.doesNotMatch(stdout, /row-value/)
    })
  }
})
