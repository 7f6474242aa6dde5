import type pg from 'pg'
import { deadlinesOf } from './deadlines.ts'
import { UnreplicatedCommitError } from './errors.ts'

/** PostgreSQL's function that waits for the synchronous standby. Its words are in the language of the server. */
const WAITING_ROUTINE = 'SyncRepWaitForLSN'

/**
 * Makes a commit fail whose wait for the synchronous standby was canceled, by `pg_cancel_backend` for example. The server
 * commits it locally all the same, with a warning, and answers as after any other commit. It must not be acknowledged:
 * with this server it would be lost.
 */
export function giveUpUnreplicated(client: pg.ClientBase): void {
  client.on('notice', ({ routine }) => {
    if (routine === WAITING_ROUTINE) deadlinesOf(client).expireAll(new UnreplicatedCommitError())
  })
}
