import { claimsOf, RuleViolation, type StoryContext } from '../context.ts'
import type { StoredRequest } from '../state.ts'
import { type Action, outcome } from '../steps.ts'
import { signedIn } from './signing-in.ts'
/** As a thief would, or a client that has lost the answer. */
export const reuseRefreshToken: Action = (model, choices) => {
  const sessions = model.sessions.filter(({ spent, hasEnded }) => spent.length > 0 && hasEnded === false)
  const lost = sessions.filter((each) => model.canRefresh(each) && each.spent.at(-1)?.key !== undefined)
  const session = choices.of(lost.length > 0 && !choices.oneIn(3) ? lost : sessions)
  const spent = session && choices.of(choices.oneIn(4) ? session.spent : session.spent.slice(-1))
  if (!session || !spent) return undefined
  const key = choices.oneIn(6) ? undefined : spent.key
  return {
    text: `Tom sends a spent refresh token of ${session.account.name}${key ? ' with its key' : ''}`,
    async run(context) {
      const body = { refreshToken: spent.token }
      const answer = await context.send('POST', '/auth/refresh', { body, key })
      const isAlive = model.canRefresh(session)
      const mayRepeat = key !== undefined && spent === session.spent.at(-1) && isAlive
      const isFresh = model.now - spent.at < 10 && spent.version === session.account.version
      if (answer.status === 200 && !(mayRepeat && isFresh))
        throw new RuleViolation(
          'a kept answer dies with its cause',
          `a spent refresh token gives a pair after ${model.now - spent.at} minutes`,
        )
      if (answer.status === 200) return outcome(answer)
      if (mayRepeat && isFresh && spent.temporary === session.account.temporary)
        throw new RuleViolation('what has a reason works', 'a lost answer is not repeated')
      // An accident within ten seconds, else a theft or a lost answer: the session ends. One that was not used for a week
      // has nothing left that could be exchanged.
      const wasJustNow = model.now === spent.at && performance.now() - spent.atMs < 5000
      if (isAlive && model.now > spent.at) session.hasEnded = true
      else if (isAlive && (!wasJustNow || key !== undefined)) session.hasEnded = undefined
      return outcome(answer)
    },
  }
}

/** Tom has copied a request with its key, and sends it again as it was. */
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
    throw new RuleViolation('one key, one effect', `${kept.text} was done again`)
  }
  const isOld = model.sessions.find(({ id }) => id === claimsOf(answer.body.data.accessToken).sid)
  if (isOld) {
    if (!model.isReplayValid(kept))
      throw new RuleViolation(
        'a kept answer dies with its cause',
        `${kept.text} gives tokens that are live after ${model.now - kept.at} minutes`,
      )
    return
  }
  // It was not repeated but done: that needs what it needed then.
  const { email, password } = kept.body as { email: string; password: string }
  const account = model.accounts.find((each) => each.email === email)
  if (kept.what !== 'sign-in' || !account) throw new RuleViolation('one key, one effect', `${kept.text} was done again`)
  const session = signedIn(context, { name: 'Tom', addresses: [] }, account, password, answer.body.data)
  Object.assign(kept, { session, account, at: model.now, version: account.version, refreshToken: session.refreshToken })
}
