import fc from 'fast-check'
import { accepts, closes, founds, offers, restores } from './deeds/companies.ts'
import { adds, assigns, changesMember, detaches, leaves, opens } from './deeds/members.ts'
import {
  addsWhileAddressChanges,
  asksForAddressWhilePasswordChanges,
  mailsPasswordWhileAddressChanges,
} from './deeds/races.ts'
import { repeats, sendsSpentToken } from './deeds/repeating.ts'
import { mailsPassword, showsPassword } from './deeds/resets.ts'
import { asksForAddress, asksForRecovery, cancelsAddress, changesPassword, followsLink } from './deeds/secrets.ts'
import { refreshes, registers, registration, signsIn, signsOut } from './deeds/signing-in.ts'
import { timePasses } from './deeds/time.ts'
import { Model } from './model.ts'
import { ann, eve } from './people.ts'
import type { Real } from './real.ts'
import { Broken, Stage } from './stage.ts'
import { commandOf, type Deed } from './steps.ts'

/** Everything that can happen, and how often it does. */
const DEEDS: [weight: number, deed: Deed][] = [
  [3, registers],
  [8, signsIn],
  [1, signsOut],
  [3, refreshes],
  [3, sendsSpentToken],
  [3, repeats],
  [6, changesPassword],
  [2, asksForRecovery],
  [4, followsLink],
  [4, asksForAddress],
  [1, cancelsAddress],
  [4, opens],
  [6, adds],
  [3, assigns],
  [3, changesMember],
  [2, detaches],
  [2, leaves],
  [4, showsPassword],
  [2, mailsPassword],
  [1, founds],
  [1, offers],
  [2, accepts],
  [1, closes],
  [2, restores],
  [4, timePasses],
  [4, mailsPasswordWhileAddressChanges],
  [4, addsWhileAddressChanges],
  [2, asksForAddressWhilePasswordChanges],
]

const STEPS_MAX = 80

export interface StoryPlace {
  requiresProof: boolean
  seed: number
  /** What the story was shrunk to, as fast-check tells it. */
  path?: string | undefined
  replayPath?: string | undefined
}

/** A story that broke a promise, and what brings it back. */
export interface FoundStory extends Required<Omit<StoryPlace, 'path' | 'replayPath'>> {
  path: string
  replayPath: string
  broken: Broken
}

/** Tells one story to the service; when it breaks a promise, fast-check looks for the fewest steps that do. */
export async function tellStory(
  real: Real,
  place: StoryPlace,
  shrinkingMs: number,
  isKnown: (broken: Broken) => boolean = () => false,
): Promise<FoundStory | undefined> {
  let giveUpAt = Number.POSITIVE_INFINITY
  const commands = fc.commands([fc.oneof(...DEEDS.map(([weight, deed]) => ({ weight, arbitrary: commandOf(deed) })))], {
    maxCommands: STEPS_MAX,
    size: 'max',
    ...(place.replayPath && { replayPath: place.replayPath }),
  })
  const property = fc.asyncProperty(commands, async (story) => {
    if (performance.now() > giveUpAt) throw new fc.PreconditionFailure(true)
    try {
      await fc.asyncModelRun(() => begin(real), story)
    } catch (error) {
      if (error instanceof Broken && isKnown(error)) return
      giveUpAt = Math.min(giveUpAt, performance.now() + shrinkingMs)
      throw error
    }
  })
  const settings = {
    seed: place.seed,
    numRuns: 1,
    ...(place.path !== undefined && { path: place.path, endOnFailure: true }),
  }
  const { failed, errorInstance, counterexample, counterexamplePath } = await fc.check(property, settings)
  if (!failed) return undefined
  if (!(errorInstance instanceof Broken)) throw errorInstance
  const replayPath = /replayPath="([^"]*)"/.exec(String(counterexample?.[0]))?.[1] ?? ''
  const { requiresProof, seed } = place
  return { requiresProof, seed, path: counterexamplePath ?? '0', replayPath, broken: errorInstance }
}

/** Two companies of two people, who have signed up with their own addresses. */
async function begin(real: Real): Promise<{ model: Model; real: Real }> {
  await real.empty()
  const model = new Model(real.requiresProof)
  for (const person of [ann, eve]) {
    const step = registration(person, person.addresses[0] as string, true)
    model.steps.push(`${step.text}: ${await step.run(new Stage(model, real))}`)
  }
  return { model, real }
}

export function describeStory({ requiresProof, seed, path, replayPath, broken }: FoundStory): string {
  return [
    `FOUND  ${broken.rule}`,
    `  ${broken.message}`,
    `  with REQUIRE_VERIFIED_EMAIL=${requiresProof}:`,
    ...broken.steps.map((step, index) => `  ${String(index + 1).padStart(3)}. ${step}`),
    `  again: npm run fuzz -- --stories --proof ${requiresProof} --seed ${seed} --path ${path} --replay ${replayPath}`,
    '',
  ].join('\n')
}
