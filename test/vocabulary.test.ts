import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'

// CONTRIBUTING has the glossary: one word for each thing. These are the words that it replaces.

const ROOT = path.join(import.meta.dirname, '..')
const FOLDERS = ['src', 'test', 'fuzz', 'scripts', 'bench', 'migrations', 'docs', 'clients']
const TEXT_FILE = /\.(ts|mjs|js|sql|md|json|http|css|html|ya?ml)$/

/** Words of identifiers, comments, strings and SQL, in any letter case and also as a part of a name. */
const WORDS: [pattern: string, instead: string][] = [
  [
    '(?<!(lowercase|uppercase|plain|random|first) )letters?(?!-spacing| case|,? (or |and )?digits)',
    'email, or character',
  ],
  ['e-mails?', 'email'],
  ['post ?(box|office)(es)?', 'TestMailbox'],
  ['standings?', 'membership'],
  ['doers?', 'AuditActor'],
  ['undeliverable', 'PermanentDeliveryError'],
  // In quotes it is a value of the policy.
  [
    'whoever|whosoever|somebody|(?<![\'"`]|required )nobody',
    'the name of the subject: the account, the actor, no member',
  ],
  ['found(s|ed|er|ers|ing)', 'create'],
  ['(close|closes|closed|closing) (a |the |its |of )*compan(y|ies)', 'delete a company'],
  ['compan(y|ies) (is|are|was|were|be) closed', 'deleted'],
  ['(take|takes|taken|took) back', 'restore'],
  ['remov(e|es|ed|ing|al) for good', 'purge'],
  ['proven|unproven|awaits? proof|proofs? of (an|the|its|another) address(es)?', 'verified, unverified, verification'],
  ['kept answers?|keeping answers?', 'stored response'],
  ['first try|let go', 'reservation, release'],
  ['heirs?', 'replacementRole, or receiver'],
  ['foretell|foretells|foretold', 'dry run'],
  ['knock|knocks|furnish|furnishes|keeper|lend|lends|lent', 'probe, provision, supervisor, grant'],
  ['lanes?', 'semaphore slot'],
  ['rigs?', 'context'],
  ['nasty|hatch|hatches|campaigns?|deeds?', 'hostile, create, run, action'],
  ['mends?|mended|mending', 'fix'],
]

/** Former names of types, functions, files, codes, operations and database objects. */
const NAMES: [pattern: string, instead: string][] = [
  ['takeDue|HeldLetter|OutboxLetter', 'claimDueEmails, ClaimedEmail, OutboxEmail'],
  ['postOrRefuse|postWithin', 'enqueueOrRefuse, enqueueWithinLimits'],
  ['removeWhatIsOver|transfer_over', 'deleteExpired, transfer_expired'],
  ['mayGive|mayActOn|mayReadMembers', 'assertCanGrant, assertCanActOn, assertCanReadMembers'],
  ['mayReplace|mayTakeOver|mayStillRead', 'canReplacePassword, canTakeOver, canStillRead'],
  ['viewOf|keepAnOwner', 'getMember, assertAnotherOwner'],
  ['recallInstead', 'replayAfterAccessLoss'],
  ['Turns|createGate|createLanes|inLane', 'SingleFlight, createSemaphore'],
  ['Composite', 'SessionContext'],
  ['tell(Owners|OfCompany|Stories)|readerOf|senderOf', 'notifyOwners, notifyAddedMember, withCompanyLocale'],
  ['gives_more_than_held|acts_upward', 'grant_exceeds_permissions, target_exceeds_permissions'],
  ['email_proof_required|answer_outdated|mail_stopped', 'email_verification_required and the like'],
  ['post_letter|reset_standing|let_go_of_account', 'enqueue_email, password_reset_authority, clear_managed_by'],
  ['copy_account_into_memberships?|keep_slugs', 'sync_membership_from_account, reserve_slug'],
  ['awaits_proof|end_unproven|mail_password', 'awaits_verification, end_unverified, email_password'],
  ['read(Health|Readiness|OwnAccount|Role|Company|Branch|Member|AuditSettings|OwnershipTransfer)(?=\\b)', 'get…'],
  ['change(Profile|Member|Role|Company|Branch|AuditSettings)(?=\\b)', 'update…'],
  ['end(Session|OtherSessions)(?=\\b)|addBranch', 'revokeSession, revokeOtherSessions, createBranch'],
]

/** Where a forbidden word means something else: a part of the path, and the word. */
const ALLOWED: [file: RegExp, word: RegExp][] = [
  [/^test\/vocabulary\.test\.ts$/, /./],
  // Letters of alphabets: how names look, are folded and become slugs.
  [/^src\/lib\/(confusables|selectors|slugs|text)\.ts$/, /^letters?$/i],
  [/^src\/features\/roles\/(names\.test|schemas)\.ts$/, /^letters?$/i],
  [/^src\/features\/accounts\/password-policy\.ts$/, /^letters$/],
  // Portuguese, and the code that keeps the word on one line.
  [/pt\.(ts|js)$/, /^e-mails?$/i],
  [
    /^src\/features\/(mail\/templates\/layout\.ts|pages\/(pages|scripts\.test)\.ts|pages\/assets\/page\.js)$/,
    /^e-mail$/,
  ],
  // The Linux user that runs PostgreSQL for root.
  [/^src\/database\/embedded\//, /^nobody$/i],
]

const RULES = [
  ...WORDS.map(([pattern, instead]) => ({ pattern: new RegExp(`\\b(?:${pattern})\\b`, 'gi'), instead, isName: false })),
  ...NAMES.map(([pattern, instead]) => ({ pattern: new RegExp(`\\b(?:${pattern})`, 'g'), instead, isName: true })),
]

describe('the vocabulary of the project', () => {
  it('has one word for each thing', () => {
    const files = sourceFiles()
    assert.ok(files.length > 300, 'the files are found')
    assert.deepEqual(files.flatMap(findingsIn), [])
  })

  it('is recognized within names, SQL and sentences', () => {
    for (const text of ['sendLetter', 'letters_to_send', '`HeldLetter`', 'A letter is sent.', 'LETTERS_MAX'])
      assert.notDeepEqual(forbiddenIn(text), [], text)
    for (const text of ['letter case', 'the account was found', 'a newsletter', 'emailsPerHour'])
      assert.deepEqual(forbiddenIn(text), [], text)
  })
})

function sourceFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...FOLDERS], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return listed.split('\n').filter((file) => TEXT_FILE.test(file))
}

/** Such as `src/a.ts:7  letter → email`; line 0 is the name of the file. */
function findingsIn(file: string): string[] {
  const text = `${file}\n${readFileSync(path.join(ROOT, file), 'utf8')}`
  if (forbiddenIn(text).length === 0) return []
  const allowed = ALLOWED.filter(([where]) => where.test(file)).map(([, word]) => word)
  return text.split('\n').flatMap((line, index) =>
    forbiddenIn(line)
      .filter(({ word }) => !allowed.some((each) => each.test(word)))
      .map(({ word, instead }) => `${file}:${index}  ${word} → ${instead}`),
  )
}

function forbiddenIn(text: string): { word: string; instead: string }[] {
  // HeldLetter → Held Letter, letters_to_send → letters to send.
  const words = text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll('_', ' ')
  return RULES.flatMap(({ pattern, instead, isName }) =>
    [...(isName ? text : words).matchAll(pattern)].map(([word]) => ({ word, instead })),
  )
}
