import type { Tx } from '../../database/open.ts'
import { afterCommit } from '../../database/queries.ts'

/** Sessions of this process since its start: as many were created, and revoked for each reason. */
export const sessionCounts = { created: 0, revoked: new Map<string, number>() }

export function countCreatedSession(tx: Tx): void {
  afterCommit(tx, () => {
    sessionCounts.created++
  })
}

export function countRevokedSessions(tx: Tx, reason: string, count: number): void {
  afterCommit(tx, () => {
    sessionCounts.revoked.set(reason, (sessionCounts.revoked.get(reason) ?? 0) + count)
  })
}
