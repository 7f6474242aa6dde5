import { z } from 'zod'
import { WITH_FACTOR } from '../../access/freshness.ts'
import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { PASSWORD_CHECKS } from '../accounts/verify-password.ts'
import { acceptTransfer, verifyReceiver } from './accept-transfer.ts'
import { AcceptTransfer, NewTransfer, OneCompany, Transfer } from './schemas.ts'
import { cancelTransfer, declineTransfer, getTransfer, listTransfers, startTransfer } from './transfers.ts'

const path = '/companies/:id/ownership-transfer'
const access = { company: 'membership', at: 'id' } as const

/** An owner starts a transfer; nothing changes until the recipient accepts it. */
export function ownership(api: Api, deps: Deps): void {
  api.post(
    path,
    {
      access,
      fresh: WITH_FACTOR,
      ownerOnly: true,
      action: 'ownership.offer',
      vouches: true,
      docs: {
        operationId: 'offerOwnershipTransfer',
        summary: 'Start an ownership transfer',
        description:
          'The member is notified by email and has 7 days to accept. A company can have one pending transfer. It’s canceled if the sender is no longer an active owner, the recipient is no longer an active member, the company’s policy shuts out the sender, or the account of either is recovered from an intruder.',
      },
      request: { params: OneCompany, body: NewTransfer },
      response: {
        data: Transfer,
        status: 201,
        message: ({ to }) => `Ownership transfer started. ${to.name} has 7 days to accept.`,
      },
      problems: [
        'company_not_found',
        'member_not_found',
        'transfer_pending',
        'already_owner',
        'address_change_undoable',
        'email_limit_reached',
      ],
    },
    ({ tx, actor, body }) => startTransfer(tx, actor, deps.config, body.userId),
  )

  api.get(
    path,
    {
      access,
      action: 'ownership.get',
      docs: {
        operationId: 'getOwnershipTransfer',
        summary: 'Get the pending ownership transfer',
        description: 'For the sender, the recipient, and all owners.',
      },
      request: { params: OneCompany },
      response: { data: Transfer },
      problems: ['company_not_found', 'transfer_not_found'],
    },
    async ({ tx, actor }) => getTransfer(tx, await actor()),
  )

  api.get(
    '/companies/:id/ownership-transfers',
    {
      access,
      action: 'ownership.get',
      docs: {
        operationId: 'listOwnershipTransfers',
        summary: 'List pending ownership transfers',
        description: 'One at most: for the sender, the recipient, and all owners. Otherwise the list is empty.',
      },
      request: { params: OneCompany },
      response: { data: z.array(Transfer) },
      problems: ['company_not_found'],
    },
    async ({ tx, actor }) => listTransfers(tx, await actor()),
  )

  api.delete(
    path,
    {
      access,
      ownerOnly: true,
      action: 'ownership.cancel',
      docs: {
        operationId: 'cancelOwnershipTransfer',
        summary: 'Cancel the pending ownership transfer',
      },
      request: { params: OneCompany },
      response: { data: Transfer, message: 'Ownership transfer canceled.' },
      problems: ['company_not_found', 'transfer_not_found'],
    },
    ({ tx, actor }) => cancelTransfer(tx, actor),
  )

  api.post(
    `${path}/accept`,
    {
      access,
      fresh: WITH_FACTOR,
      action: 'ownership.accept',
      limit: PASSWORD_CHECKS,
      docs: {
        operationId: 'acceptOwnershipTransfer',
        summary: 'Accept an ownership transfer',
        description:
          'Recipient only. The recipient becomes an owner and keeps their other roles; the sender becomes an admin. Other owners aren’t affected. All of them are notified by email.',
      },
      request: { params: OneCompany, body: AcceptTransfer },
      response: {
        data: Transfer,
        message: ({ company }) => `You’re now an owner of ${company.name}.`,
      },
      idempotency: { keyIncludesBody: true },
      prepare: ({ actor, body }) => verifyReceiver(deps, actor, body.currentPassword),
      problems: [
        'policy_locks_all_owners',
        'email_verification_required',
        'address_change_undoable',
        'company_not_found',
        'transfer_not_found',
        'transfer_expired',
        'current_password_wrong',
        'too_many_attempts',
      ],
    },
    ({ tx, actor, prepared }) => acceptTransfer(tx, actor, deps.config, prepared),
  )

  api.post(
    `${path}/decline`,
    {
      access,
      action: 'ownership.decline',
      docs: {
        operationId: 'declineOwnershipTransfer',
        summary: 'Decline an ownership transfer',
        description: 'Recipient only. Nothing changes.',
      },
      request: { params: OneCompany },
      response: { data: Transfer, message: 'Ownership transfer declined.' },
      problems: ['company_not_found', 'transfer_not_found', 'transfer_expired'],
    },
    ({ tx, actor }) => declineTransfer(tx, actor),
  )
}
