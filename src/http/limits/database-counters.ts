import type { Database } from '../../database/open.ts'
import { asAnyone } from '../../database/scopes.ts'
import type { Counted } from '../../lib/window-counter.ts'
import { type Count, PROBE, type SharedCounters } from './counters.ts'

/** A window begins with the first count of its name; the row of one that has ended begins the next. */
const COUNT = `
  insert into request_counts (limit_name, network, count, ends_at)
  values ($1, $2, 1, now() + make_interval(secs => $3))
  on conflict (limit_name, network) do update set
    count = case when request_counts.ends_at > now() then request_counts.count + 1 else 1 end,
    ends_at = case when request_counts.ends_at > now() then request_counts.ends_at else excluded.ends_at end
  returning count, (extract(epoch from ends_at - now()) * 1000)::float8 as ms_left`

interface CountedRow {
  count: number
  ms_left: number
}

/** Counts that several nodes share in PostgreSQL, each by one statement: for the few that matter while Redis is away. */
export function openDatabaseCounters(database: Database): SharedCounters {
  const countOne = async ({ limit, name }: Count): Promise<Counted> => {
    const parameters = [limit.name, name, limit.perSeconds]
    const [row] = await database.query<CountedRow>(asAnyone, { sql: COUNT, parameters })
    const { count, ms_left } = row as CountedRow
    return { count, msLeft: ms_left }
  }
  return {
    name: 'The database',
    count: (counts) => Promise.all(counts.map(countOne)),
    probe: () => countOne(PROBE),
    close() {},
  }
}
