import type { PostgresServer } from '../faults/postgres-server.ts'
import type { Measured } from './measure-service.ts'
import { type Bound, bloatOf, type Point, problemOf, type TableSize } from './trend.ts'

/** At one moment of the run. */
export interface Sample extends Measured {
  atMs: number
  /** Of the service to the database. */
  connections: number
  /** Requests answered so far. */
  requests: number
  tables: Map<string, Table>
}

interface Table extends TableSize {
  name: string
  dead: number
}

const MIB = 1024 * 1024

/** What the second half of the run may add. A cache that is still filling stays below; a leak at this load does not. */
const BOUNDS: (Bound & { key: 'heapUsed' | 'rss' | 'openFiles' | 'handles' | 'connections'; unit: number })[] = [
  { key: 'heapUsed', name: 'heap in use (MiB)', unit: MIB, absolute: 3, relative: 0.05 },
  { key: 'rss', name: 'resident memory (MiB)', unit: MIB, absolute: 10, relative: 0.05 },
  { key: 'openFiles', name: 'open files', unit: 1, absolute: 4, relative: 0 },
  { key: 'handles', name: 'handles', unit: 1, absolute: 8, relative: 0 },
  { key: 'connections', name: 'connections to the database', unit: 1, absolute: 2, relative: 0 },
]
/** Dead rows wait for autovacuum, which looks once a minute and at its thresholds. */
const DEAD: Omit<Bound, 'name'> = { absolute: 400, relative: 0.3 }

export async function takeSample(
  measureUrl: string,
  postgres: PostgresServer,
  now: { atMs: number; requests: number },
): Promise<Sample> {
  const measured = (await (await fetch(measureUrl)).json()) as Measured
  const [row] = await postgres.query<{ connections: number }>(
    `select count(*)::int as connections from pg_stat_activity where application_name = 'tenantry'`,
  )
  return { ...measured, ...now, connections: row?.connections ?? 0, tables: await sizesOf(postgres) }
}

async function sizesOf(postgres: PostgresServer): Promise<Map<string, Table>> {
  const names = await postgres.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_stat_user_tables where schemaname = 'public' order by relname`,
  )
  const counts = names.map(
    ({ name }) =>
      `select '${name}' as name, (select count(*) from ${name})::int as rows, n_dead_tup::int as dead,
         pg_total_relation_size(relid)::int as bytes from pg_stat_user_tables where relid = '${name}'::regclass`,
  )
  const tables = await postgres.query<Table>(counts.join(' union all '))
  return new Map(tables.map((table) => [table.name, table]))
}

/** What has grown too much in the second half, one sentence each. */
export function problemsIn(samples: readonly Sample[]): string[] {
  const half = samples.slice(Math.floor(samples.length / 2))
  const pointsOf = (value: (sample: Sample) => number): Point[] =>
    half.map((sample) => ({ atMs: sample.atMs, value: value(sample) }))
  const [first, last] = [half[0], half.at(-1)] as [Sample, Sample]
  return [
    ...BOUNDS.map((bound) =>
      problemOf(
        bound,
        pointsOf((sample) => sample[bound.key] / bound.unit),
      ),
    ),
    ...[...last.tables.values()].flatMap((table) => {
      const { name } = table
      const rowsOf = (sample: Sample) => sample.tables.get(name)
      const dead = {
        name: `dead rows of ${name}`,
        ...DEAD,
        absolute: Math.max(DEAD.absolute, table.rows * DEAD.relative),
      }
      return [
        problemOf(
          dead,
          pointsOf((sample) => rowsOf(sample)?.dead ?? 0),
        ),
        bloatOf(name, rowsOf(first) ?? table, table),
      ]
    }),
  ].filter((problem) => problem !== undefined)
}
