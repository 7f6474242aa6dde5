import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { Histogram } from '../../lib/histogram.ts'
import type { KeyUse } from '../../lib/key-use.ts'
import type { Keys } from '../../lib/keys.ts'
import { partOf } from '../../lib/processes.ts'
import { createSemaphore, type Semaphore } from '../../lib/semaphore.ts'
import { SingleFlight } from '../../lib/single-flight.ts'
import { ExportSlots } from './export/export-slots.ts'
import type { AuditVerdict } from './schemas.ts'

/** What was sealed in this process since its start. */
export interface SealCounts {
  /** How long each batch took, in seconds. */
  times: Histogram
  records: number
  /** Companies whose log could not be sealed or purged, each time. */
  failures: number
}

/** What the requests and the worker of one process share: made once, with the app. */
export interface AuditDeps {
  database: Database
  keys: Keys
  log: Logger
  /** Kept by the reports of nodes. */
  keyUse: KeyUse
  /** Bounds the connections that long reads take, so that requests and the sealer always get one. */
  limitReads: Semaphore
  /** Apart from the reads, so that sealing never waits for readers. */
  limitSealing: Semaphore
  /** By company. */
  sealing: SingleFlight<number>
  sealed: SealCounts
  verifying: SingleFlight<AuditVerdict>
  exportSlots: ExportSlots
}

/** In all processes of a node. */
const READS_MAX = 3

export function createAuditDeps(deps: Pick<AuditDeps, 'database' | 'keys' | 'log'>, processes = 1): AuditDeps {
  return {
    database: deps.database,
    keys: deps.keys,
    log: deps.log,
    keyUse: { maySeal: true, maySend: true },
    limitReads: createSemaphore(partOf(READS_MAX, processes)),
    limitSealing: createSemaphore(1),
    sealing: new SingleFlight(),
    sealed: { times: new Histogram(), records: 0, failures: 0 },
    verifying: new SingleFlight(),
    exportSlots: new ExportSlots(),
  }
}
