import { claimsOf, RuleViolation, type StoryContext } from '../context.ts'
import type { StoredRequest } from '../state.ts'
import { type Action, outcome } from '../steps.ts'
import { signedIn } from './signing-in.ts'
/** Sends an exchanged refresh token, like a thief or a client that has lost the answer. */
export const reuseRefreshToken: Action = (model, choices) => {
  const sessions = model.sessions.filter(({ spent, hasEnded }) => spent.length > 0 && hasEnded === false)
  const lost = sessions.filter((each) => model.canRefresh(each) && each.spent.at(-1)?.key !== undefined)
  const session = choices.of(lost.length > 0 && !choices.oneIn(3) ? lost : sessions)
  const spent = session && choices.of(choices.oneIn(4) ? session.spent : session.spent.slice(-1))
  if (!session || !spent) return undefined
  const key = choices.oneIn(6) ? undefined : spent.key
  return {
    text: `Tom sends an exchanged refresh token of ${session.account.name}${key ? ' with its key' : ''}`,
    async run(context) {
      const body = { refreshToken: spent.token }
      const answer = await context.send('POST', '/auth/refresh', { body, key })
      const canRefresh = model.canRefresh(session)
      const isReplay = key !== undefined && spent === session.spent.at(-1) && canRefresh
      const isFresh = model.now - spent.at < 10 && spent.version === session.account.version
      if (answer.status === 200 && !(isReplay && isFresh))
        throw new RuleViolation(
          'a stored response is invalidated with its credentials',
          `an exchanged refresh token returns a pair after ${model.now - spent.at} minutes`,
        )
      if (answer.status === 200) return outcome(answer)
      const { temporary, deletedPasswords } = session.account
      const isSame = spent.temporary === temporary && spent.deletedPasswords === deletedPasswords
      if (isReplay && isFresh && isSame) throw new RuleViolation('what is valid works', 'a lost answer is not replayed')
      // Reuse within ten seconds counts as an accident, later as theft: the session ends. A session that was not used for
      // a week has no valid refresh token any more.
      const wasJustNow = model.now === spent.at && performance.now() - spent.atMs < 5000
      if (canRefresh && model.now > spent.at) session.hasEnded = true
      else if (canRefresh && (!wasJustNow || key !== undefined)) session.hasEnded = undefined
      return outcome(answer)
    },
  }
}

/** Tom has copied a request with its key, and sends it again unchanged. */
export const repeatRequest: Action = (model, choices) => {
  const kept = choices.of(model.storedRequests.filter(({ what, at }) => what !== 'write' || model.now - at < 23 * 60))
  if (!kept) return undefined
  return {
    text: `Tom repeats ${kept.text}, with its key`,
    async run(context) {
      const { method, path, body, token, company, key } = kept
      const answer = await context.sendAs(method, path, body, token, company, key)
      if (answer.status < 300) learnReplay(context, kept, answer)
      return outcome(answer)
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an answer, as a client sees it.
function learnReplay(context: StoryContext, kept: StoredRequest, answer: { headers: Headers; body: any }): void {
  const { model } = context
  if (kept.what === 'write') {
    if (answer.headers.has('idempotent-replayed')) return
    throw new RuleViolation('one idempotency key has one effect', `${kept.text} was done again`)
  }
  const isOld = model.sessions.find(({ id }) => id === claimsOf(answer.body.data.accessToken).sid)
  if (isOld) {
    if (!model.isReplayValid(kept))
      throw new RuleViolation(
        'a stored response is invalidated with its credentials',
        `${kept.text} returns valid tokens after ${model.now - kept.at} minutes`,
      )
    return
  }
  // The request was executed again, which needs valid credentials.
  const { email, password } = kept.body as { email?: string; password: string }
  const account = model.accounts.find((each) => each.email === email)
  if (kept.what !== 'sign-in' || !account)
    throw new RuleViolation('one idempotency key has one effect', `${kept.text} was done again`)
  const session = signedIn(context, { name: 'Tom', addresses: [] }, account, password, answer.body.data)
  Object.assign(kept, { session, account, at: model.now, version: account.version, refreshToken: session.refreshToken })
}
