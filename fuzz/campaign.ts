import fc from 'fast-check'
import { auditFaults } from './audits.ts'
import { type Finding, runBatch } from './batches.ts'
import { companyInvariants } from './company-invariants.ts'
import { Coverage } from './coverage.ts'
import { crossReferences, invariants, orphans } from './invariants.ts'
import { answerJudge } from './judge.ts'
import { batchesOf, type Step } from './plans.ts'
import { populate } from './populate.ts'
import type { Rig } from './rig.ts'
import { openWire } from './wire.ts'
import { buildWorld } from './world.ts'

export interface Campaign {
  /** Batches have seeds of their own, which follow from this one. */
  seed: number
  /** Ends after so many seconds, or batches. */
  seconds?: number
  batches?: number
  findingsMax?: number
  /** Only this batch; with a path, only what it was shrunk to. */
  batch?: number
  path?: string
  /** Told of each finding as soon as it is there. */
  onFinding?(found: FoundInBatch): void
}

/** A finding with what brings it back. */
export interface FoundInBatch {
  seed: number
  batch: number
  path: string
  finding: Finding
}

export async function openRig(): Promise<Rig> {
  const world = await buildWorld()
  const wire = openWire(world.service.address)
  const { db } = world.service
  const rules = { ...invariants, ...companyInvariants, ...(await crossReferences(db)), ...(await orphans(db)) }
  const rig = { world, wire, judge: answerJudge(world.document), invariants: rules, coverage: new Coverage() }
  await populate(rig)
  await auditFaults(rig) // Every chain has begun.
  await world.settle()
  return rig
}

export async function closeRig({ wire, world }: Rig): Promise<void> {
  wire.close()
  await world.close()
}

const ENDLESS = Number.POSITIVE_INFINITY

/** Runs batch after batch until time or number are over; what was found once is only told once. */
export async function fuzz(rig: Rig, campaign: Campaign): Promise<FoundInBatch[]> {
  const { seed, seconds = ENDLESS, batches = ENDLESS, findingsMax = ENDLESS } = campaign
  const found = new Map<string, FoundInBatch>()
  const deadline = performance.now() + seconds * 1000
  const steps = batchesOf(rig.world.document)
  const [first, last] = campaign.batch === undefined ? [0, batches] : [campaign.batch, campaign.batch + 1]
  for (let batch = first; batch < last && performance.now() < deadline && found.size < findingsMax; batch++) {
    const one = await tryBatch(rig, steps, { seed, batch, path: campaign.path }, found)
    if (!one) continue
    found.set(keyOf(one.finding), one)
    campaign.onFinding?.(one)
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

type Place = Pick<FoundInBatch, 'seed' | 'batch'> & { path: string | undefined }

/** One batch; when it breaks a promise, fast-check looks for the fewest requests that do. */
async function tryBatch(
  rig: Rig,
  steps: fc.Arbitrary<Step[]>,
  { seed, batch, path }: Place,
  known: Map<string, unknown>,
): Promise<FoundInBatch | undefined> {
  let giveUpAt = Number.POSITIVE_INFINITY
  const property = fc.asyncProperty(steps, async (batchOfSteps) => {
    if (performance.now() > giveUpAt) throw new fc.PreconditionFailure(true)
    const findings = (await runBatch(rig, batchOfSteps)).filter((finding) => !known.has(keyOf(finding)))
    if (findings.length === 0) return
    giveUpAt = Math.min(giveUpAt, performance.now() + SHRINKING_MS)
    throw new Broken(findings)
  })
  const settings = { seed: seedOf(seed, batch), numRuns: 1 }
  if (path !== undefined) {
    const [shrunk] = fc.sample(steps, { ...settings, path })
    const [finding] = await runBatch(rig, shrunk as Step[])
    return finding && { seed, batch, path, finding }
  }
  const { failed, errorInstance, counterexamplePath } = await fc.check(property, settings)
  if (!failed) return undefined
  if (!(errorInstance instanceof Broken)) throw errorInstance
  return { seed, batch, path: counterexamplePath ?? '0', finding: errorInstance.findings[0] as Finding }
}

/** Findings that are one bug, most likely. */
const keyOf = ({ rule, operation, about }: Finding) =>
  `${rule} ${operation} ${about.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|zq\w+|\d{4,}/g, '…').slice(0, 60)}`

/** Far apart for neighbours, the same every time. */
const seedOf = (seed: number, batch: number) =>
  (Math.imul(seed ^ 0x5bd1e995, 0x2c1b3c6d) + Math.imul(batch + 1, 0x297a2d39)) | 0
