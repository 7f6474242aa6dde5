import type { Answer } from '../../support/client.ts'
import { RuleViolation, type StoryContext } from '../context.ts'
import { verifyAddress } from '../effects.ts'
import type { Model } from '../model.ts'
import type { Session } from '../state.ts'
import type { Choices } from '../steps.ts'

/** A session, mostly of an account with a verified address. */
export function pickVerified(model: Model, choices: Choices): Session | undefined {
  const sessions = model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange)
  const verified = sessions.filter(({ account }) => account.isVerified)
  return choices.of(verified.length > 0 && !choices.oneIn(4) ? verified : sessions)
}

/**
 * Sends a request that asks for a code from the mailbox of the account, and once more with the code, which only a person who reads
 * the mailbox has; others guess.
 */
export async function proveMailbox(
  context: StoryContext,
  session: Session,
  purpose: keyof Session['provedEmails'],
  send: (emailCode?: string) => Promise<Answer>,
): Promise<Answer> {
  const { account, holder } = session
  const answer = await send()
  if (answer.body?.code !== 'mailbox_code_required') return answer
  if (session.provedEmails[purpose] === account.email)
    throw new RuleViolation('what is valid works', `the mailbox of ${account.email} is proved in this session`)
  const code = await context.findInEmail('mailbox_code', account.email, /^\d{8}$/m)
  if (!code) throw new RuleViolation('a code is emailed to the address of the account', account.email)
  if (!holder.addresses.includes(account.email)) return send('00000000')
  const proved = await send(code)
  if (proved.body?.code === 'second_factor_wrong')
    throw new RuleViolation('what is valid works', `the code from the mailbox of ${account.email}`)
  session.provedEmails[purpose] = account.email
  // It proves this session alone: a password that was shown still works in others.
  if (!account.isPasswordShown) verifyAddress(context.model, account)
  return proved
}
