import type { Command } from '@commander-js/extra-typings'
import { announceFactorReset, withdrawFactorReset } from '../../features/auth/reset-factors.ts'
import { ACCOUNT, getAccount } from '../accounts.ts'
import { operatorFor } from '../operator.ts'
import { AS_OPTION, JSON_OPTION, REASON_OPTION } from '../options.ts'
import { type Outcome, present } from '../output.ts'
import { withService } from '../with-service.ts'

interface Options {
  as?: string | undefined
  reason?: string | undefined
}

export function addFactorCommand(user: Command): void {
  user
    .command('reset-factor')
    .description('remove the second factors of an account in 24 hours, unless its owner cancels it by an emailed link')
    .argument(...ACCOUNT)
    .option('--cancel', 'keep them after all')
    .option(...REASON_OPTION)
    .option(...AS_OPTION)
    .option(...JSON_OPTION)
    .action((account, options) =>
      present(options, options.cancel ? cancelReset(account, options) : resetFactor(account, options)),
    )
}

async function resetFactor(key: string, { as, reason }: Options): Promise<Outcome> {
  return withService(async ({ database }) => {
    const { id, email: address } = await getAccount({ database }, key)
    const operator = operatorFor('user reset-factor', as)
    const { isChanged, dueAt } = await announceFactorReset(database, operator, id, reason)
    const told = isChanged ? 'An email with a link that cancels it is on its way.' : 'This was announced before.'
    const text = `The second factors of ${address} will be removed after ${dueAt}, by the running service. ${told}`
    return { text, json: { id, email: address, isChanged, dueAt } }
  })
}

async function cancelReset(key: string, { as, reason }: Options): Promise<Outcome> {
  return withService(async ({ database }) => {
    const { id, email: address } = await getAccount({ database }, key)
    const isChanged = await withdrawFactorReset(database, operatorFor('user reset-factor', as), id, reason)
    const text = isChanged ? `${address} keeps its second factors.` : `No removal was announced to ${address}.`
    return { text, json: { id, email: address, isChanged, dueAt: null } }
  })
}
