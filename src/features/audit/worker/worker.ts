import { type BackgroundLoop, startBackgroundLoop } from '../../../lib/background.ts'
import { BrokenChainError, sealCompany } from '../chain/seal-company.ts'
import type { AuditDeps } from '../deps.ts'
import { isBeingPurged } from '../is-being-purged.ts'
import { Cooldowns } from './cooldowns.ts'
import { expiredCompanies, headsSince, unsealedCompanies } from './find-companies.ts'
import { Lease } from './lease.ts'
import { purgeCompany } from './purge-company.ts'
import { renewSignatures } from './renew-signatures.ts'

const INTERVAL_MS = 500
const BACK_OFF = { firstMs: 1000, maxMs: 10_000 }
const COMPANIES_AT_ONCE = 4
const UPKEEP_MS = 10 * 60_000
const LOG_HEADS_MS = 60 * 60_000
/** Batches of one company in one upkeep; the rest waits for the next one. */
const PURGES_MAX = 100
/** How often the log has an error of one company. */
const LOG_ERROR_MS = 60 * 60_000
/** Only a change by hand can repair a broken chain, so it is tried again this seldom. */
const BROKEN_CHAIN_MS = 60_000

/**
 * Seals records, purges expired ones, renews signatures after a change of `APP_SECRET`, and logs the heads of the chains.
 * Of several processes the one with the lease works. See docs/decisions/0011-audit-chain.md.
 */
export function startAuditWorker(deps: AuditDeps): Pick<BackgroundLoop, 'stop'> {
  const lease = new Lease(deps.database)
  const worker = new AuditWorker(deps, lease)
  const loop = startBackgroundLoop({
    name: 'audit worker',
    log: deps.log,
    round: (signal) => worker.round(signal),
    intervalMs: INTERVAL_MS,
    backOff: BACK_OFF,
  })
  return {
    async stop() {
      await loop.stop()
      await lease.release().catch(() => {}) // It expires by itself within seconds.
    },
  }
}

class AuditWorker {
  readonly #deps: AuditDeps
  readonly #lease: Lease
  readonly #brokenChains = new Cooldowns()
  readonly #loggedErrors = new Cooldowns()
  #upkeepAt = 0
  #logHeadsAt = 0
  #loggedUntil = new Date(Date.now() - LOG_HEADS_MS).toISOString()

  constructor(deps: AuditDeps, lease: Lease) {
    this.#deps = deps
    this.#lease = lease
  }

  async round(signal: AbortSignal): Promise<void> {
    if (!(await this.#mayWork())) return
    const { database } = this.#deps
    await this.#forEach('seal', unsealedCompanies(database), signal, (id) => sealCompany(this.#deps, id, signal))
    const now = performance.now()
    if (now >= this.#upkeepAt) {
      this.#upkeepAt = now + UPKEEP_MS
      await this.#renewSignatures(signal)
      await this.#forEach('purge', expiredCompanies(database), signal, (id) => this.#purge(id, signal))
    }
    if (now >= this.#logHeadsAt) {
      this.#logHeadsAt = now + LOG_HEADS_MS
      await this.#logHeads(signal)
    }
  }

  /** A node whose secret is not the one of the service leaves the work to the others. */
  async #mayWork(): Promise<boolean> {
    if (this.#deps.keyUse.maySeal) return this.#lease.hold()
    await this.#lease.release()
    return false
  }

  /** When one company fails, the others are still worked on. */
  async #forEach(
    job: 'seal' | 'purge',
    pages: AsyncIterable<string[]>,
    signal: AbortSignal,
    work: (companyId: string) => Promise<unknown>,
  ): Promise<void> {
    for await (const companies of pages) {
      const queue = companies.values()
      const workers = Array.from({ length: COMPANIES_AT_ONCE }, async () => {
        for (const company of queue) {
          if (signal.aborted) return
          if (this.#brokenChains.isActive(job + company)) continue
          await work(company).catch((error: unknown) => this.#onFailure(job, company, error))
        }
      })
      await Promise.all(workers)
      if (signal.aborted || !(await this.#mayWork())) return
    }
  }

  async #onFailure(job: 'seal' | 'purge', company: string, error: unknown): Promise<void> {
    if (await isBeingPurged(this.#deps.database, company).catch(() => false)) return
    this.#deps.sealed.failures++
    if (error instanceof BrokenChainError) this.#brokenChains.start(job + company, BROKEN_CHAIN_MS)
    if (this.#loggedErrors.isActive(company)) return
    this.#loggedErrors.start(company, LOG_ERROR_MS)
    this.#deps.log.error({ err: error, company, job }, 'audit worker failed for a company')
  }

  async #renewSignatures(signal: AbortSignal): Promise<void> {
    const { log } = this.#deps
    const { renewed, invalid } = await renewSignatures(this.#deps, signal)
    if (renewed > 0) log.info({ renewed }, 'audit signatures renewed')
    if (invalid > 0) log.warn({ invalid }, 'audit signatures are not valid under the key that they name')
  }

  async #purge(company: string, signal: AbortSignal): Promise<void> {
    let batches = 0
    while (batches < PURGES_MAX && !signal.aborted && (await purgeCompany(this.#deps, company))) batches++
    this.#deps.log.info({ company, batches }, 'expired audit records purged')
  }

  /** Logs are kept elsewhere: they show when a chain was set back to an earlier end. */
  async #logHeads(signal: AbortSignal): Promise<void> {
    const until = new Date().toISOString()
    for await (const heads of headsSince(this.#loggedUntil, this.#deps.database)) {
      const lines = heads.map(({ company_id, seq, hash }) => `${company_id} ${seq} ${hash}`)
      this.#deps.log.info({ heads: lines }, 'audit heads')
      if (signal.aborted) return
    }
    this.#loggedUntil = until
  }
}
