import { openReal, type Real } from './real.ts'
import { runStory, type StoryFinding, type StoryId } from './story.ts'

export interface StoryRunOptions {
  /** Each story has a seed of its own: this one, and those that follow. */
  seed: number
  /** Ends after so many seconds, or stories under each setting. */
  seconds?: number
  stories?: number
  findingsMax?: number
  /** How long the fewest steps that do it are looked for. */
  shrinkingMs?: number
  /** Told of each finding as soon as it is there. */
  onFound?(found: StoryFinding): void
}

const ENDLESS = Number.POSITIVE_INFINITY

/** Tells story after story, each under both settings of REQUIRE_VERIFIED_EMAIL; what was found once is only told once. */
export async function runStories(options: StoryRunOptions): Promise<StoryFinding[]> {
  const { seed, seconds = ENDLESS, stories = ENDLESS, findingsMax = ENDLESS, shrinkingMs = 60_000 } = options
  const found = new Map<string, StoryFinding>()
  const deadline = performance.now() + seconds * 1000
  await withBoth(async (reals) => {
    for (let turn = 0; turn < stories && performance.now() < deadline; turn++)
      for (const real of reals) {
        const storyId = { requiresVerification: real.requiresVerification, seed: seed + turn }
        const known = [...found.keys()]
        const one = await runStory(real, storyId, shrinkingMs, (violation) => known.includes(keyOf(violation)))
        if (!one) continue
        found.set(keyOf(one.violation), one)
        options.onFound?.(one)
        if (found.size >= findingsMax) return
      }
  })
  return [...found.values()]
}

/** The story at one place alone. */
export async function rerunStory(storyId: StoryId): Promise<StoryFinding | undefined> {
  const real = await openReal(storyId.requiresVerification)
  try {
    return await runStory(real, storyId, 0)
  } finally {
    await real.close()
  }
}

async function withBoth(work: (reals: Real[]) => Promise<void>): Promise<void> {
  const reals: Real[] = []
  try {
    for (const requiresVerification of [true, false]) reals.push(await openReal(requiresVerification))
    await work(reals)
  } finally {
    for (const real of reals) await real.close()
  }
}

/** Findings that are one bug, most likely. */
const keyOf = ({ rule, message }: StoryFinding['violation']) =>
  `${rule} ${message.replace(/[A-Z][a-z]+ \d+|\S+@\S+|\d+/g, '…')}`
