import v8 from 'node:v8'
import { collectWhenIdle } from './idle-memory.ts'

/** In percent of what is alive. V8's own bound is 300 on a machine with much memory. */
const GARBAGE_PERCENT_MAX = 100

/**
 * Bounds the garbage in the heap, and collects it when the process is idle. The heap itself has no bound of ours, because many connections need much. An operator
 * who sets one by `--max-old-space-size` decides on the garbage too. Called once the modules are loaded: V8 takes compiled
 * code from its cache only under the options with which it was compiled.
 */
export function boundMemory(): void {
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ')
  if (/--max[-_]old[-_]space[-_]size/.test(options)) return
  v8.setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT_MAX}`)
  collectWhenIdle()
}
