import { addressesOf, type Target } from './connection-settings.ts'
import { openClient } from './writable-host.ts'

interface Place {
  /** When the server started, to the microsecond: a copy of a server has its identifier, but not its start. */
  server: string
  oid: number
  name: string
}

/** Undefined: both lead to the same database. Otherwise how the second one differs, for a sentence about it. */
export async function findDifference(one: Target, other: Target, connectMsMax: number): Promise<string | undefined> {
  const [first, second] = await Promise.all([placeOf(one, connectMsMax), placeOf(other, connectMsMax)])
  if (first.server !== second.server) return `database "${second.name}" of another server`
  return first.oid === second.oid ? undefined : `database "${second.name}", and not to "${first.name}"`
}

async function placeOf(target: Target, connectMsMax: number): Promise<Place> {
  const client = await openClient(target, { ...addressesOf(target)[0], connectionTimeoutMillis: connectMsMax })
  try {
    const { rows } = await client.query<Place>(
      `select extract(epoch from pg_postmaster_start_time())::text as server, oid, datname as name
       from pg_database where datname = current_database()`,
    )
    return rows[0] as Place
  } finally {
    client.end().catch(() => {})
  }
}
