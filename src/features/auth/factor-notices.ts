import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import type { EmailParams, Recipient } from '../mail/outbox/emails.ts'
import { enqueueEmailOrRefuse, noticeLimits } from '../mail/outbox/enqueue.ts'

type FactorNotice = 'second_factor_added' | 'second_factor_removed' | 'recovery_codes_created'

/**
 * Tells the owner of a change of what opens the account. At the limit the change itself is refused: if only the notice were
 * withheld, an intruder could use up the limit and then act unnoticed.
 */
export async function notifyOfFactor<Kind extends FactorNotice>(
  tx: Tx,
  { emailLimits }: Config,
  owner: Recipient,
  kind: Kind,
  params: EmailParams[Kind],
): Promise<void> {
  await enqueueEmailOrRefuse(tx, noticeLimits(emailLimits), kind, owner, params)
}
