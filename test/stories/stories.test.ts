import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runStories } from './run.ts'
import { describeStory } from './story.ts'

const SEED = 20_261_122
/** Under each setting; some seconds on a machine that has nothing else to do. */
const STORIES = 4

describe('stories of several people and time', () => {
  it('let nothing work without a living reason', async () => {
    const found = await runStories({ seed: SEED, stories: STORIES, shrinkingMs: 20_000 })
    assert.deepEqual(found.map(describeStory), [])
  })
})
