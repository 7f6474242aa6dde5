import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { createFactorUndo } from '../accounts/factors/factor-change-undos.ts'
import type { EmailParams, Recipient } from '../mail/outbox/emails.ts'
import { enqueueEmailOrRefuse, noticeLimits } from '../mail/outbox/enqueue.ts'

type FactorNotice = 'second_factor_added' | 'second_factor_removed' | 'recovery_codes_created'

/**
 * Tells the owner of a change of what opens the account. At the limit the change itself is refused: if only the notice were
 * withheld, an intruder could use up the limit and then act unnoticed. The email carries a link by which the owner undoes it.
 */
export async function notifyOfFactor<Kind extends FactorNotice>(
  tx: Tx,
  { emailLimits }: Config,
  owner: Recipient & { id: string },
  kind: Kind,
  params: Omit<EmailParams[Kind], 'linkId'>,
): Promise<void> {
  const linkId = await createFactorUndo(tx, owner)
  await enqueueEmailOrRefuse(tx, noticeLimits(emailLimits), kind, owner, { ...params, linkId } as EmailParams[Kind])
}
