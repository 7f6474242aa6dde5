import type pg from 'pg'
import type { BootLog } from './suitability.ts'

const COMPANIES_AT_ONCE = 1000
const ATTEMPTS_MAX = 10
const DEADLOCK = '40P01'

/**
 * Goes on with what a migration has left to do on existing rows, in short transactions, so that nodes of the version before
 * serve meanwhile. A start that is stopped here leaves the rest to the next one. Needs the lock of migrations.
 */
export async function runBackfills(client: pg.Client, log: BootLog): Promise<void> {
  let companies = 0
  for (let done = await completeSystemRoles(client); done !== null; done = await completeSystemRoles(client)) {
    companies += done
  }
  if (companies > 0) log.info({ companies }, 'system roles have the permissions of this version')
}

/** A purge, or a node of the version before, may lock the same roles in another order. */
async function completeSystemRoles(client: pg.Client): Promise<number | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { rows } = await client.query('select complete_system_roles($1) as companies', [COMPANIES_AT_ONCE])
      return rows[0].companies
    } catch (error) {
      if ((error as { code?: string }).code !== DEADLOCK || attempt === ATTEMPTS_MAX) throw error
    }
  }
}
