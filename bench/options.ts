import { readOptions } from '../scripts/options.ts'
import { fullSizes, type Sizes, trialSizes } from './load/sizes.ts'
import type { Times } from './measure.ts'

const HELP = `npm run bench [-- --quick] [-- --only KEY,…] [-- --profile KEY,…] [-- --postgres FOLDER]

Measures Tenantry beside a bare server with the same statements and beside better-auth, on a million accounts, and writes
docs/performance.md. It takes about a quarter of an hour, and starts on a quiet machine only.

  --quick             a trial on small data with short windows, on any machine: writes nothing, its numbers mean nothing
  --only KEY,…        measures only these requests and writes nothing: me, list-1, audit, patch …
  --profile KEY,…     measures nothing and shows what these requests cost in Tenantry, such as me,list-2
  --postgres FOLDER   the binaries of another PostgreSQL, such as /usr/lib/postgresql/15/bin (default: the embedded one)`

export interface Options {
  isTrial: boolean
  only: string[] | undefined
  profile: string[] | undefined
  binDir: string | undefined
  sizes: Sizes
  times: Times
}

export function readBenchOptions(): Options {
  const { values } = readOptions(HELP, {
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      profile: { type: 'string' },
      postgres: { type: 'string' },
    },
  })
  return {
    isTrial: values.quick,
    only: values.only?.split(','),
    profile: values.profile?.split(','),
    binDir: values.postgres,
    sizes: values.quick ? trialSizes : fullSizes,
    times: values.quick
      ? { rounds: 1, warmUpSeconds: 0.3, seconds: 0.7 }
      : { rounds: 5, warmUpSeconds: 0.5, seconds: 2 },
  }
}
