import { openReal, type Real } from './real.ts'
import { type FoundStory, type StoryPlace, tellStory } from './tell.ts'

export interface StoryCampaign {
  /** Each story has a seed of its own: this one, and those that follow. */
  seed: number
  /** Ends after so many seconds, or stories under each setting. */
  seconds?: number
  stories?: number
  findingsMax?: number
  /** How long the fewest steps that do it are looked for. */
  shrinkingMs?: number
  /** Told of each finding as soon as it is there. */
  onFound?(found: FoundStory): void
}

const ENDLESS = Number.POSITIVE_INFINITY

/** Tells story after story, each under both settings of REQUIRE_VERIFIED_EMAIL; what was found once is only told once. */
export async function tellStories(campaign: StoryCampaign): Promise<FoundStory[]> {
  const { seed, seconds = ENDLESS, stories = ENDLESS, findingsMax = ENDLESS, shrinkingMs = 60_000 } = campaign
  const found = new Map<string, FoundStory>()
  const deadline = performance.now() + seconds * 1000
  await withBoth(async (reals) => {
    for (let turn = 0; turn < stories && performance.now() < deadline; turn++)
      for (const real of reals) {
        const place = { requiresProof: real.requiresProof, seed: seed + turn }
        const known = [...found.keys()]
        const one = await tellStory(real, place, shrinkingMs, (broken) => known.includes(keyOf(broken)))
        if (!one) continue
        found.set(keyOf(one.broken), one)
        campaign.onFound?.(one)
        if (found.size >= findingsMax) return
      }
  })
  return [...found.values()]
}

/** The story at one place alone. */
export async function tellAgain(place: StoryPlace): Promise<FoundStory | undefined> {
  const real = await openReal(place.requiresProof)
  try {
    return await tellStory(real, place, 0)
  } finally {
    await real.close()
  }
}

async function withBoth(work: (reals: Real[]) => Promise<void>): Promise<void> {
  const reals: Real[] = []
  try {
    for (const requiresProof of [true, false]) reals.push(await openReal(requiresProof))
    await work(reals)
  } finally {
    for (const real of reals) await real.close()
  }
}

/** Findings that are one bug, most likely. */
const keyOf = ({ rule, message }: FoundStory['broken']) =>
  `${rule} ${message.replace(/[A-Z][a-z]+ \d+|\S+@\S+|\d+/g, '…')}`
