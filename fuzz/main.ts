import { randomInt } from 'node:crypto'
import { readOptions } from '../scripts/options.ts'
import { startTestServer } from '../scripts/test-server.ts'
import { rerunStory, runStories } from '../test/stories/run.ts'
import { describeStory, type StoryFinding, type StoryId } from '../test/stories/story.ts'
import { describeFinding } from './report.ts'
import { type BatchFinding, closeContext, fuzz, openContext, type RunOptions } from './run.ts'

// Sends the service generated requests, made from its OpenAPI document, and checks every answer.

const HELP = `npm run fuzz -- --seconds 3600              a minute when left out
npm run fuzz -- --seed 1 --batch 2          one batch of a run again
npm run fuzz -- --seed 1 --batch 2 --path … the smallest failing part of that batch
npm run fuzz -- --stories --seconds 3600    stories of several people over time, checked against a model
npm run fuzz -- --stories --verification true --seed 1 --path … --replay …   one story again`

const options = {
  seconds: { type: 'string', default: '60' },
  seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  batch: { type: 'string' },
  path: { type: 'string' },
  stories: { type: 'boolean', default: false },
  verification: { type: 'string' },
  replay: { type: 'string' },
  findings: { type: 'string' },
} as const

const { runOptions, story } = readRunOptions()
console.log(`Seed ${runOptions.seed}`)
const server = await startTestServer()
try {
  const found = story ? await stories(story) : await requests()
  console.log(`${found} findings on PostgreSQL ${server.version}, seed ${runOptions.seed}.`)
  if (found > 0) process.exitCode = 1
} catch (error) {
  // Printed here because stopping the server may end a process with open connections.
  console.error(error)
  process.exitCode = 1
} finally {
  await server.stop()
}

async function requests(): Promise<number> {
  const context = await openContext()
  try {
    const found = await fuzz(context, runOptions)
    console.log(context.coverage.report(context.world.document))
    return found.length
  } finally {
    await closeContext(context)
  }
}

/** One story by its id, or as many as there is time for. */
async function stories(storyId: StoryId | 'many'): Promise<number> {
  const { seed, seconds = 0, findingsMax } = runOptions
  const onFound = (one: StoryFinding) => console.log(describeStory(one))
  if (storyId === 'many')
    return (await runStories({ seed, seconds, onFound, ...(findingsMax !== undefined && { findingsMax }) })).length
  const found = await rerunStory(storyId)
  if (found) onFound(found)
  return found ? 1 : 0
}

function readRunOptions(): { runOptions: RunOptions; story: StoryId | 'many' | undefined } {
  const { values } = readOptions(
    HELP,
    { options },
    {
      check({ values: { seconds, seed, batch = '0', findings = '0' } }) {
        for (const [name, text] of Object.entries({ seconds, seed, batch, findings }))
          if (!/^\d{1,10}$/.test(text)) throw new Error(`--${name} is not a whole number`)
      },
    },
  )
  const { seconds, seed, batch, path, findings } = values
  const runOptions = {
    seed: Number(seed),
    ...(batch === undefined ? { seconds: Number(seconds) } : { batch: Number(batch) }),
    ...(path !== undefined && { path }),
    ...(findings !== undefined && { findingsMax: Number(findings) }),
    onFinding: (one: BatchFinding) => console.log(describeFinding(one)),
  }
  return { runOptions, story: values.stories ? storyIdIn(values, runOptions.seed) : undefined }
}

function storyIdIn({ verification, path, replay }: Partial<Record<string, unknown>>, seed: number): StoryId | 'many' {
  if (verification === undefined) return 'many'
  return { requiresVerification: verification === 'true', seed, path: path as string, replayPath: replay as string }
}
