import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { companiesWith, headsSince, type RecordsToHandle } from './companies.ts'
import { Lease } from './lease.ts'
import { purgeCompany } from './purge-company.ts'
import { renewSignatures } from './renew-signatures.ts'
import { BrokenChain, type Sealing, sealCompany } from './sealing.ts'

const ROUND_MS = 500
const OUTAGE_MS = 5000
const COMPANIES_AT_ONCE = 4
const UPKEEP_MS = 10 * 60_000
const HEADS_MS = 60 * 60_000
/** What is left of a company after so many batches waits for the next upkeep. */
const PURGES_MAX = 100
/** A company that fails is told of this often. */
const TELLING_MS = 60 * 60_000
/** A company whose chain is broken is left alone for so long: nothing but a hand in the database mends it. */
const RESTING_MS = 60_000
const REMEMBERED_MAX = 1000

export interface AuditWorkerParts extends Sealing {
  log: Logger
}

export interface AuditWorker {
  /** Ends after the batch at hand. */
  stop(): Promise<void>
}

/** Seals what was recorded, removes what is over, signs anew, and logs where the chains end; one process of several does. */
export function startAuditWorker(parts: AuditWorkerParts): AuditWorker {
  const worker = new Sealer(parts)
  const done = worker.run()
  return {
    async stop() {
      worker.stopping.abort()
      await done
    },
  }
}

class Sealer {
  readonly stopping = new AbortController()
  readonly #parts: AuditWorkerParts
  readonly #lease: Lease
  readonly #told = new Map<string, number>()
  readonly #restsUntil = new Map<string, number>()
  #upkeepAt = 0
  #headsAt = 0
  #headsSince = new Date(Date.now() - HEADS_MS).toISOString()

  constructor(parts: AuditWorkerParts) {
    this.#parts = parts
    this.#lease = new Lease(parts.database)
  }

  async run(): Promise<void> {
    const { log } = this.#parts
    let isOut = false
    while (!this.#isStopping) {
      try {
        await this.#round()
        if (isOut) log.info('the audit is sealed again')
        isOut = false
      } catch (error) {
        if (!isOut) log.error({ err: error }, 'the audit can not be sealed')
        isOut = true
      }
      await this.#pause(isOut ? OUTAGE_MS : ROUND_MS)
    }
    await this.#lease.release().catch(() => {}) // It is over by itself within seconds.
  }

  async #round(): Promise<void> {
    if (!(await this.#lease.hold())) return
    await this.#forEach('unsealed', (company) => sealCompany(this.#parts, company, this.stopping.signal))
    const now = performance.now()
    if (now >= this.#upkeepAt) {
      this.#upkeepAt = now + UPKEEP_MS
      await this.#keepUp()
    }
    if (now >= this.#headsAt) {
      this.#headsAt = now + HEADS_MS
      await this.#logHeads()
    }
  }

  /** A company that fails keeps back no other. */
  async #forEach(records: RecordsToHandle, work: (company: string) => Promise<unknown>): Promise<void> {
    for await (const companies of companiesWith(records, this.#parts.database)) {
      const queue = companies.values()
      const hands = Array.from({ length: COMPANIES_AT_ONCE }, async () => {
        for (const company of queue) {
          if (this.#isStopping) return
          if (performance.now() < (this.#restsUntil.get(records + company) ?? 0)) continue
          await work(company).catch((error: unknown) => {
            if (error instanceof BrokenChain) remember(this.#restsUntil, records + company, RESTING_MS)
            this.#tell(company, error)
          })
        }
      })
      await Promise.all(hands)
      if (this.#isStopping || !(await this.#lease.hold())) return
    }
  }

  #tell(company: string, error: unknown): void {
    if (performance.now() < (this.#told.get(company) ?? 0)) return
    remember(this.#told, company, TELLING_MS)
    this.#parts.log.error({ err: error, company }, 'the audit of a company can not go on')
  }

  async #keepUp(): Promise<void> {
    const { log } = this.#parts
    const { renewed, left } = await renewSignatures(this.#parts, this.stopping.signal)
    if (renewed > 0) log.info({ renewed }, 'checkpoints of the audit signed anew')
    if (left > 0) log.warn({ left }, 'checkpoints of the audit do not hold under the key that they name')
    await this.#forEach('expired', async (company) => {
      let batches = 0
      while (batches < PURGES_MAX && !this.#isStopping && (await purgeCompany(this.#parts, company))) batches++
      log.info({ company, batches }, 'removed audit records that are over')
    })
  }

  /** Kept elsewhere, as logs are, they tell of a chain that was set back to an earlier end. */
  async #logHeads(): Promise<void> {
    const until = new Date().toISOString()
    for await (const heads of headsSince(this.#headsSince, this.#parts.database)) {
      this.#parts.log.info(
        { heads: heads.map(({ company_id, seq, hash }) => `${company_id} ${seq} ${hash}`) },
        'audit heads',
      )
      if (this.#isStopping) return
    }
    this.#headsSince = until
  }

  get #isStopping(): boolean {
    return this.stopping.signal.aborted
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.stopping.signal }).catch(() => {})
  }
}

/** For so long; of too many, all are forgotten. */
function remember(until: Map<string, number>, name: string, ms: number): void {
  if (until.size >= REMEMBERED_MAX) until.clear()
  until.set(name, performance.now() + ms)
}
