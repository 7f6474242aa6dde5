import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { acceptOwnership, verifyReceiver } from './accept-transfer.ts'
import { Acceptance, NewOffer, OneCompany, Transfer } from './schemas.ts'
import { cancelTransfer, declineTransfer, getTransfer, offerOwnership } from './transfers.ts'

const path = '/companies/:id/ownership-transfer'
const access = { company: 'membership', at: 'id' } as const

/** Handing a company over: one offers, the other one accepts, and only then anything changes. */
export function ownership(api: Api, service: Deps): void {
  api.post(
    path,
    {
      access,
      action: 'ownership.offer',
      docs: {
        operationId: 'offerOwnershipTransfer',
        summary: 'Offer the ownership to a member',
        description:
          'For Owners. The receiver is told by mail and has 7 days. A company has one pending offer at most; it is void as soon as the one is no longer an active Owner, or the other no longer an active member.',
      },
      request: { params: OneCompany, body: NewOffer },
      response: {
        data: Transfer,
        status: 201,
        message: ({ to }) => `The ownership is offered to ${to.name}, who has 7 days to accept.`,
      },
      problems: [
        'company_not_found',
        'owner_only',
        'member_not_found',
        'transfer_pending',
        'already_owner',
        'email_limit_reached',
      ],
    },
    ({ tx, actor, body }) => offerOwnership(tx, actor, service.config, body.userId),
  )

  api.get(
    path,
    {
      access,
      action: 'ownership.get',
      docs: {
        operationId: 'getOwnershipTransfer',
        summary: 'The pending offer of ownership',
        description: 'For the one who offers, the one who may accept, and all Owners.',
      },
      request: { params: OneCompany },
      response: { data: Transfer },
      problems: ['company_not_found', 'transfer_not_found'],
    },
    ({ tx, actor }) => getTransfer(tx, actor),
  )

  api.delete(
    path,
    {
      access,
      action: 'ownership.cancel',
      docs: {
        operationId: 'cancelOwnershipTransfer',
        summary: 'Take the offer back',
        description: 'For Owners.',
      },
      request: { params: OneCompany },
      response: { data: Transfer, message: 'The offer is revoked.' },
      problems: ['company_not_found', 'owner_only', 'transfer_not_found'],
    },
    ({ tx, actor }) => cancelTransfer(tx, actor),
  )

  api.post(
    `${path}/accept`,
    {
      access,
      action: 'ownership.accept',
      docs: {
        operationId: 'acceptOwnershipTransfer',
        summary: 'Accept the ownership',
        description:
          'For the receiver alone, who becomes an Owner besides what they are; in the same moment the Owner who offered becomes an Admin. Other Owners stay. Both are told by mail.',
      },
      request: { params: OneCompany, body: Acceptance },
      response: {
        data: Transfer,
        message: ({ company }) => `You are an Owner of ${company.name} now.`,
      },
      idempotency: { keyIncludesBody: true },
      prepare: ({ actor, body }) => verifyReceiver(service, actor, body.currentPassword),
      problems: [
        'email_verification_required',
        'company_not_found',
        'transfer_not_found',
        'transfer_expired',
        'current_password_wrong',
        'too_many_attempts',
      ],
    },
    ({ tx, actor, prepared }) => acceptOwnership(tx, actor, prepared),
  )

  api.post(
    `${path}/decline`,
    {
      access,
      action: 'ownership.decline',
      docs: {
        operationId: 'declineOwnershipTransfer',
        summary: 'Decline the ownership',
        description: 'For the receiver alone. Nothing changes.',
      },
      request: { params: OneCompany },
      response: { data: Transfer, message: 'The offer is declined.' },
      problems: ['company_not_found', 'transfer_not_found', 'transfer_expired'],
    },
    ({ tx, actor }) => declineTransfer(tx, actor),
  )
}
