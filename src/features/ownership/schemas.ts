import { z } from 'zod'
import { Uuid } from '../../lib/uuids.ts'
import { PresentedPassword } from '../accounts/password-policy.ts'
import { AccountSummary } from '../accounts/schemas.ts'

export const OneCompany = z.object({ id: Uuid })

export const Transfer = z
  .object({
    id: z.uuid(),
    company: z.object({ id: z.uuid(), name: z.string() }),
    from: AccountSummary.describe('The owner who started the transfer.'),
    to: AccountSummary.describe('The member who can accept it.'),
    status: z
      .enum(['pending', 'accepted', 'declined', 'revoked'])
      .describe('Expired and invalid transfers aren’t returned.'),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().describe('7 days after it was created.'),
  })
  .meta({ id: 'OwnershipTransfer' })
export type Transfer = z.output<typeof Transfer>

export const NewTransfer = z.object({ userId: Uuid.describe('An active member who isn’t an owner.') })

export const AcceptTransfer = z.object({
  currentPassword: PresentedPassword.describe(
    'Your current password, required again so that a stolen session isn’t enough.',
  ),
})
