import { openReal, type Real } from './real.ts'
import { runStory, type StoryFinding, type StoryId } from './story.ts'

export interface StoryRunOptions {
  /** The seed of the first story; the following stories count up from it. */
  seed: number
  /** Stops after this many seconds, or stories under each setting. */
  seconds?: number
  stories?: number
  findingsMax?: number
  /** How long a failing story is shrunk. */
  shrinkingMs?: number
  /** Called for each finding at once. */
  onFound?(found: StoryFinding): void
}

const ENDLESS = Number.POSITIVE_INFINITY

/** Runs stories, each under both settings of REQUIRE_VERIFIED_EMAIL; each finding is reported once. */
export async function runStories(options: StoryRunOptions): Promise<StoryFinding[]> {
  const { seed, seconds = ENDLESS, stories = ENDLESS, findingsMax = ENDLESS, shrinkingMs = 60_000 } = options
  const found = new Map<string, StoryFinding>()
  const deadline = performance.now() + seconds * 1000
  await withBoth(async (reals) => {
    for (let index = 0; index < stories && performance.now() < deadline; index++)
      for (const real of reals) {
        const storyId = { requiresVerification: real.requiresVerification, seed: seed + index }
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

/** Runs one story by its id. */
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

/** Equal for findings that are probably one bug. */
const keyOf = ({ rule, message }: StoryFinding['violation']) =>
  `${rule} ${message.replace(/[A-Z][a-z]+ \d+|\S+@\S+|\d+/g, '…')}`
