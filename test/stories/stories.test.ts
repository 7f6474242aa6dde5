import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runStories } from './run.ts'
import { describeStory } from './story.ts'

const SEED = 20_261_122
/** Stories under each setting; they take some seconds on an idle machine. */
const STORIES = 4

describe('the service in stories of several people over time', () => {
  it('behaves as the model expects', async () => {
    const found = await runStories({ seed: SEED, stories: STORIES, shrinkingMs: 20_000 })
    assert.deepEqual(found.map(describeStory), [])
  })
})
