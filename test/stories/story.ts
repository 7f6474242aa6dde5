import fc from 'fast-check'
import {
  acceptOwnership,
  createCompany,
  deleteCompany,
  offerOwnership,
  restoreCompany,
  suspendOrResume,
} from './actions/companies.ts'
import { approveRequest, joinByDomain, openByDomain } from './actions/domains.ts'
import { addFactor, removeFactor, resetFactors } from './actions/factors.ts'
import {
  acceptByToken,
  answerById,
  changeInvitation,
  invite,
  joinByLink,
  registerInvited,
} from './actions/invitations.ts'
import { addMember, assignMember, detachMember, leaveCompany, openCompany, updateMember } from './actions/members.ts'
import { setPolicy, stepUp } from './actions/policies.ts'
import {
  addMemberDuringAddressChange,
  emailPasswordDuringAddressChange,
  requestAddressChangeDuringPasswordChange,
} from './actions/races.ts'
import { repeatRequest, reuseRefreshToken } from './actions/replays.ts'
import { emailPassword, resetPassword } from './actions/resets.ts'
import {
  cancelAddressChange,
  changePassword,
  followLink,
  requestAddressChange,
  requestPasswordReset,
  resendConfirmation,
} from './actions/secrets.ts'
import { refreshTokens, register, registration, signIn, signInByPasskey, signOut } from './actions/signing-in.ts'
import { letTimePass } from './actions/time.ts'
import { RuleViolation, StoryContext } from './context.ts'
import { Model } from './model.ts'
import { ann, eve } from './people.ts'
import type { Real } from './real.ts'
import { type Action, commandOf } from './steps.ts'

/** All actions with their relative frequency. */
const ACTIONS: [weight: number, action: Action][] = [
  [3, register],
  [8, signIn],
  [1, signOut],
  [3, refreshTokens],
  [3, reuseRefreshToken],
  [3, repeatRequest],
  [6, changePassword],
  [2, requestPasswordReset],
  [4, followLink],
  [4, requestAddressChange],
  [1, cancelAddressChange],
  [1, resendConfirmation],
  [4, openCompany],
  [6, addMember],
  [3, assignMember],
  [3, updateMember],
  [2, detachMember],
  [2, leaveCompany],
  [4, resetPassword],
  [2, emailPassword],
  [1, createCompany],
  [1, offerOwnership],
  [2, acceptOwnership],
  [1, deleteCompany],
  [2, restoreCompany],
  [2, suspendOrResume],
  [5, invite],
  [1, changeInvitation],
  [4, acceptByToken],
  [3, answerById],
  [3, joinByLink],
  [4, registerInvited],
  [2, openByDomain],
  [3, joinByDomain],
  [1, approveRequest],
  [1, setPolicy],
  [4, stepUp],
  [4, addFactor],
  [2, removeFactor],
  [3, signInByPasskey],
  [1, resetFactors],
  [4, letTimePass],
  [4, emailPasswordDuringAddressChange],
  [4, addMemberDuringAddressChange],
  [2, requestAddressChangeDuringPasswordChange],
]

const STEPS_MAX = 80

export interface StoryId {
  requiresVerification: boolean
  seed: number
  /** The smallest failing part of the story, as reported by fast-check. */
  path?: string | undefined
  replayPath?: string | undefined
}

/** A failing story with the numbers that reproduce it. */
export interface StoryFinding extends Required<Omit<StoryId, 'path' | 'replayPath'>> {
  path: string
  replayPath: string
  violation: RuleViolation
}

/** Runs one story; when it fails, fast-check looks for the fewest steps that fail. */
export async function runStory(
  real: Real,
  storyId: StoryId,
  shrinkingMs: number,
  isKnown: (violation: RuleViolation) => boolean = () => false,
): Promise<StoryFinding | undefined> {
  let giveUpAt = Number.POSITIVE_INFINITY
  const commands = fc.commands(
    [fc.oneof(...ACTIONS.map(([weight, action]) => ({ weight, arbitrary: commandOf(action) })))],
    {
      maxCommands: STEPS_MAX,
      size: 'max',
      ...(storyId.replayPath && { replayPath: storyId.replayPath }),
    },
  )
  const property = fc.asyncProperty(commands, async (story) => {
    if (performance.now() > giveUpAt) throw new fc.PreconditionFailure(true)
    try {
      await fc.asyncModelRun(() => startStory(real), story)
    } catch (error) {
      if (error instanceof RuleViolation && isKnown(error)) return
      giveUpAt = Math.min(giveUpAt, performance.now() + shrinkingMs)
      throw error
    }
  })
  const settings = {
    seed: storyId.seed,
    numRuns: 1,
    ...(storyId.path !== undefined && { path: storyId.path, endOnFailure: true }),
  }
  const { failed, errorInstance, counterexample, counterexamplePath } = await fc.check(property, settings)
  if (!failed) return undefined
  if (!(errorInstance instanceof RuleViolation)) throw errorInstance
  const replayPath = /replayPath="([^"]*)"/.exec(String(counterexample?.[0]))?.[1] ?? ''
  const { requiresVerification, seed } = storyId
  return { requiresVerification, seed, path: counterexamplePath ?? '0', replayPath, violation: errorInstance }
}

/** Starts with two people who have signed up with their own addresses. */
async function startStory(real: Real): Promise<{ model: Model; real: Real }> {
  await real.clear()
  const model = new Model(real.requiresVerification)
  for (const person of [ann, eve]) {
    const step = registration(person, person.addresses[0] as string, true)
    model.steps.push(`${step.text}: ${await step.run(new StoryContext(model, real))}`)
  }
  return { model, real }
}

export function describeStory({ requiresVerification, seed, path, replayPath, violation }: StoryFinding): string {
  return [
    `FOUND  ${violation.rule}`,
    `  ${violation.message}`,
    `  with REQUIRE_VERIFIED_EMAIL=${requiresVerification}:`,
    ...violation.steps.map((step, index) => `  ${String(index + 1).padStart(3)}. ${step}`),
    `  again: npm run fuzz -- --stories --verification ${requiresVerification} --seed ${seed} --path ${path} --replay ${replayPath}`,
    '',
  ].join('\n')
}
