import { sql } from 'kysely'

/**
 * When something of an account changed: in the order in which its lock was taken. `now()` is the beginning of the transaction, which
 * may have waited for the lock, and then what came after a change of address would look as if it had been there before.
 */
export const UNDER_LOCK = sql<string>`clock_timestamp()`
