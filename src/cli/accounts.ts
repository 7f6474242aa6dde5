import type { Deps } from '../deps.ts'
import { type AccountDetails, findAccountDetails } from '../features/auth/operated-accounts.ts'
import { OperatorError } from '../lib/operator-error.ts'

/** The argument of commands that act on an account. */
export const ACCOUNT = ['<account>', 'its email address or id'] as const

export async function getAccount(deps: Pick<Deps, 'database'>, key: string): Promise<AccountDetails> {
  const account = await findAccountDetails(deps, key)
  if (!account) throw new OperatorError('account_not_found', `No account has the email address or id ${key}.`)
  return account
}
