import { readOptions } from '../../scripts/options.ts'
import { faults } from './registry.ts'
import { runFaults } from './run-faults.ts'

const HELP = `npm run test:faults [-- [--short] [--list] [NAME…]]

Makes what the service depends on fail while people write, and compares what was acknowledged with what is there
afterwards. PostgreSQL, Redis and the receiver of emails are real and run on loopback in temporary folders.
Exits with 1 when anything acknowledged was lost, was done or sent twice, or did not heal in time.

  --short   only the faults that CI runs
  --list    print the names and end
  NAME      only faults whose name contains it`

const { values, positionals } = readOptions(HELP, {
  allowPositionals: true,
  options: { short: { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
})
const chosen = faults
  .filter(({ short }) => short || !values.short)
  .filter(({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)))
if (values.list) console.log(chosen.map(({ name }) => name).join('\n'))
else if (chosen.length === 0) throw new Error(`No fault has such a name: ${positionals.join(', ')}`)
else if (!(await runFaults(chosen))) process.exitCode = 1
