import type { Deps } from '../deps.ts'
import { type AccountDetails, findAccountDetails, findFormerHolder } from '../features/auth/operated-accounts.ts'
import { OperatorError } from '../lib/operator-error.ts'

/** The argument of commands that act on an account. */
export const ACCOUNT = ['<account>', 'its email address or id'] as const

export async function getAccount(deps: Pick<Deps, 'database'>, key: string): Promise<AccountDetails> {
  const account = await findAccountDetails(deps, key)
  if (account) return account
  const formerId = await findFormerHolder(deps, key)
  const hint = formerId ? ` Account ${formerId} had it until lately, and can get it back: see user find.` : ''
  throw new OperatorError('account_not_found', `No account has the email address or id ${key}.${hint}`)
}
