import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'

/** How many requirements each section of ASVS 5.0.0 has, by chapter: they are numbered from 1 on. */
const REQUIREMENTS = [
  [2, 10, 12, 3, 3],
  [3, 3, 5, 2],
  [1, 3, 5, 8, 8, 1, 5],
  [5, 5, 2, 4],
  [1, 6, 3, 3],
  [3, 12, 8, 6, 8, 4, 2, 4],
  [3, 4, 2, 5, 3, 2],
  [4, 4, 3, 2],
  [3, 4],
  [2, 3, 5, 16, 5, 2, 3],
  [4, 5, 5, 4, 2, 2, 2],
  [5, 2, 5],
  [4, 6, 4, 7],
  [2, 8, 3],
  [5, 5, 7, 4],
  [1, 5, 4, 3, 4],
  [2, 8, 2],
]

const STATES = ['met', 'partly', 'not met', 'n/a'] as const
type State = (typeof STATES)[number]

/** `- 6.2.1 · L1 · met · What · How`; `6.5.1–8` stands for eight requirements. */
const LINE = /^- (\d+\.\d+\.)(\d+)(?:–(\d+))? · L([123](?:–[23])?) · ([^·]+) · ([^·]+) · ([^·]+)$/gm

describe('docs/asvs.md', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../docs/asvs.md'), 'utf8')
  const requirements = [...page.matchAll(LINE)].flatMap(([, section, first, last = first, , state, , how]) => {
    const numbers = Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index)
    return numbers.map((number) => ({ number: `${section}${number}`, state: state as State, how: how as string }))
  })

  it('has a state for every requirement, once and in order', () => {
    const all = REQUIREMENTS.flatMap((sections, chapter) =>
      sections.flatMap((count, section) =>
        Array.from({ length: count }, (_, index) => `${chapter + 1}.${section + 1}.${index + 1}`),
      ),
    )
    assert.deepEqual(
      requirements.map(({ number }) => number),
      all,
    )
    for (const { number, state } of requirements) assert.ok(STATES.includes(state), `${number}: ${state}`)
  })

  it('calls nothing met without a source, a test or a section that shows it', () => {
    const bare = requirements.filter(({ state, how }) => state === 'met' && !/\]\([^)]+\)/.test(how))
    assert.deepEqual(
      bare.map(({ number }) => number),
      [],
    )
  })

  it('counts its states correctly, by chapter and in total', () => {
    const count = (own: typeof requirements) =>
      STATES.map((state) => `${own.filter((each) => each.state === state).length} ${state}`).join(', ')
    const expected = REQUIREMENTS.map((_, index) =>
      count(requirements.filter(({ number }) => number.startsWith(`${index + 1}.`))),
    )
    const stated = [...page.matchAll(/^- (?:V\d+ [^:]+|Total): (\d+ met.*)$/gm)].map(([, counts]) => counts)
    assert.deepEqual(stated, [...expected, count(requirements)])
  })
})
