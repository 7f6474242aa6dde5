import fc from 'fast-check'
import { auditViolations } from './audits.ts'
import { type Finding, runBatch } from './batches.ts'
import { companyInvariants } from './company-invariants.ts'
import type { FuzzContext } from './context.ts'
import { Coverage } from './coverage.ts'
import { openHttpClient } from './http-client.ts'
import { crossReferences, invariants, orphans } from './invariants.ts'
import { batchesOf, type Step } from './plans.ts'
import { populate } from './populate.ts'
import { createAnswerChecks } from './response-checks.ts'
import { buildWorld } from './world.ts'

export interface RunOptions {
  /** The seed of each batch is derived from this one. */
  seed: number
  /** Stops after this many seconds or batches. */
  seconds?: number
  batches?: number
  findingsMax?: number
  /** Runs only this batch; with a path, only its smallest failing part. */
  batch?: number
  path?: string
  /** Called for each finding at once. */
  onFinding?(found: BatchFinding): void
}

/** A finding with the numbers that reproduce it. */
export interface BatchFinding {
  seed: number
  batch: number
  path: string
  finding: Finding
}

export async function openContext(): Promise<FuzzContext> {
  const world = await buildWorld()
  const client = openHttpClient(world.service.address)
  const { db } = world.service
  const rules = { ...invariants, ...companyInvariants, ...(await crossReferences(db)), ...(await orphans(db)) }
  const context = {
    world,
    client,
    checkAnswer: createAnswerChecks(world.document),
    invariants: rules,
    coverage: new Coverage(),
  }
  await populate(context)
  await auditViolations(context) // Starts the chain of every company.
  await world.saveAsStart()
  return context
}

export async function closeContext({ client, world }: FuzzContext): Promise<void> {
  client.close()
  await world.close()
}

const ENDLESS = Number.POSITIVE_INFINITY

/** Runs batches until the time or number is used up; each finding is reported once. */
export async function fuzz(context: FuzzContext, options: RunOptions): Promise<BatchFinding[]> {
  const { seed, seconds = ENDLESS, batches = ENDLESS, findingsMax = ENDLESS } = options
  const found = new Map<string, BatchFinding>()
  const deadline = performance.now() + seconds * 1000
  const steps = batchesOf(context.world.document)
  const [first, last] = options.batch === undefined ? [0, batches] : [options.batch, options.batch + 1]
  for (let batch = first; batch < last && performance.now() < deadline && found.size < findingsMax; batch++) {
    const one = await tryBatch(context, steps, { seed, batch, path: options.path }, found)
    if (!one) continue
    found.set(keyOf(one.finding), one)
    options.onFinding?.(one)
  }
  return [...found.values()]
}

const SHRINKING_MS = 5000

class Broken extends Error {
  readonly findings: Finding[]
  constructor(findings: Finding[]) {
    super(findings.map(({ rule, about }) => `${rule}: ${about}`).join('\n'))
    this.findings = findings
  }
}

type FindingId = Pick<BatchFinding, 'seed' | 'batch'> & { path: string | undefined }

/** Runs one batch; when it fails, fast-check looks for the fewest requests that fail. */
async function tryBatch(
  context: FuzzContext,
  steps: fc.Arbitrary<Step[]>,
  { seed, batch, path }: FindingId,
  known: Map<string, unknown>,
): Promise<BatchFinding | undefined> {
  let giveUpAt = Number.POSITIVE_INFINITY
  const property = fc.asyncProperty(steps, async (batchOfSteps) => {
    if (performance.now() > giveUpAt) throw new fc.PreconditionFailure(true)
    const findings = (await runBatch(context, batchOfSteps)).filter((finding) => !known.has(keyOf(finding)))
    if (findings.length === 0) return
    giveUpAt = Math.min(giveUpAt, performance.now() + SHRINKING_MS)
    throw new Broken(findings)
  })
  const settings = { seed: seedOf(seed, batch), numRuns: 1 }
  if (path !== undefined) {
    const [shrunk] = fc.sample(steps, { ...settings, path })
    const [finding] = await runBatch(context, shrunk as Step[])
    return finding && { seed, batch, path, finding }
  }
  const { failed, errorInstance, counterexamplePath } = await fc.check(property, settings)
  if (!failed) return undefined
  if (!(errorInstance instanceof Broken)) throw errorInstance
  return { seed, batch, path: counterexamplePath ?? '0', finding: errorInstance.findings[0] as Finding }
}

/** Equal for findings that are probably one bug. */
const keyOf = ({ rule, operation, about }: Finding) =>
  `${rule} ${operation} ${about.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|zq\w+|\d{4,}/g, '…').slice(0, 60)}`

/** Deterministic, and different even for neighboring batches. */
const seedOf = (seed: number, batch: number) =>
  (Math.imul(seed ^ 0x5bd1e995, 0x2c1b3c6d) + Math.imul(batch + 1, 0x297a2d39)) | 0
