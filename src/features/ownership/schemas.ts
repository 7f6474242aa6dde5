import { z } from 'zod'
import { Uuid } from '../../lib/uuids.ts'
import { PresentedPassword } from '../accounts/password-policy.ts'
import { AccountSummary } from '../accounts/schemas.ts'

export const OneCompany = z.object({ id: Uuid })

export const Transfer = z
  .object({
    id: z.uuid(),
    company: z.object({ id: z.uuid(), name: z.string() }),
    from: AccountSummary.describe('The Owner who offers.'),
    to: AccountSummary.describe('The member who may accept.'),
    status: z
      .enum(['pending', 'accepted', 'declined', 'revoked'])
      .describe('An offer whose time is over, or whose parties are no longer what it takes, is not shown any more.'),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().describe('7 days after it was made.'),
  })
  .meta({ id: 'OwnershipTransfer' })
export type Transfer = z.output<typeof Transfer>

export const NewOffer = z.object({ userId: Uuid.describe('An active member who is no Owner yet.') })

export const Acceptance = z.object({
  currentPassword: PresentedPassword.describe('Asked again, because a stolen session must not be enough for this.'),
})
