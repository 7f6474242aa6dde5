import { appendFileSync } from 'node:fs'

// Each test file runs in its own process; scripts/test.ts adds up the numbers of this file.
let answers = 0

export function countAnswer(): void {
  if (answers++ > 0) return
  const file = process.env.TEST_TALLY
  if (file) process.once('exit', () => appendFileSync(file, `${answers}\n`))
}
