import { isAway } from './former-addresses.ts'
import type { Person } from './people.ts'
import {
  type Account,
  type Company,
  type Departure,
  FACTOR_UNDO_MINUTES,
  type Factor,
  type FormerAddress,
  FRESH_MINUTES,
  INVITATION_MINUTES,
  type Invitation,
  type JoinByDomain,
  LINK_MINUTES,
  type Membership,
  PASSWORD_RESET_MINUTES,
  type Password,
  REFRESH_MINUTES,
  REPLAY_MINUTES,
  rankOf,
  SESSION_MINUTES,
  type SecretEmail,
  type Session,
  type StoredRequest,
  TEMPORARY_MINUTES,
  UNDO_MINUTES,
} from './state.ts'

/** The expected state of the service. */
export class Model {
  readonly requiresVerification: boolean
  now = 0
  accounts: Account[] = []
  companies: Company[] = []
  memberships: Membership[] = []
  sessions: Session[] = []
  emails: SecretEmail[] = []
  storedRequests: StoredRequest[] = []
  invitations: Invitation[] = []
  departures: Departure[] = []
  formerAddresses: FormerAddress[] = []
  /** All that were ever confirmed. */
  factors: Factor[] = []
  /** In the order of what happened. */
  lastFactorChange = 0
  joinByDomain: JoinByDomain | undefined
  /** The passwords that each person knows, including invalid ones. */
  known: { person: Person; account: Account; text: string }[] = []
  /** When secrets were emailed, by kind and recipient. */
  emailed: { kind: string; to: string; at: number }[] = []
  /** A description of each step. */
  steps: string[] = []
  #count = 0

  constructor(requiresVerification: boolean) {
    this.requiresVerification = requiresVerification
  }

  next(): number {
    return ++this.#count
  }

  newPassword(person: Person): string {
    return `${person.name}s-horse-${this.next()}`
  }

  newKey(): string {
    return `key-${this.next()}`
  }

  learn(person: Person, account: Account, text: string): void {
    if (this.known.some((each) => each.person === person && each.account === account && each.text === text)) return
    this.known.push({ person, account, text })
  }

  /** The moment of a change of factors, in the order of what happened. */
  countFactorChange(): number {
    this.lastFactorChange = this.next()
    return this.lastFactorChange
  }

  isSignedIn({ hasEnded, since }: Session): boolean {
    return hasEnded === false && this.now - since < SESSION_MINUTES
  }

  canRefresh(session: Session): boolean {
    return this.isSignedIn(session) && this.now - session.exchangedAt < REFRESH_MINUTES
  }

  membershipOf(company: Company, account: Account): Membership | undefined {
    return this.memberships.find((each) => each.company === company && each.account === account)
  }

  /** Whether the account may make requests in the company. */
  isOpen({ company, isActive, awaitsVerification }: Membership): boolean {
    return isActive && !awaitsVerification && company.deletedAt === undefined
  }

  canEnter(session: Session, company: Company): boolean {
    const membership = this.membershipOf(company, session.account)
    const isOpen = membership !== undefined && this.isOpen(membership) && !company.isSuspended
    return this.isSignedIn(session) && !session.mustChange && isOpen && this.isLetIn(session, company)
  }

  /** Whether the policy of the company lets the session in. */
  isLetIn(session: Session, { maxAgeMinutes }: Company): boolean {
    return maxAgeMinutes === undefined || this.now - this.lastProofOf(session) < maxAgeMinutes
  }

  /** An account with a second factor proves that one, any other its password. */
  lastProofOf({ account, factorProvedAt = Number.NEGATIVE_INFINITY, provedAt }: Session): number {
    return account.factors.length > 0 ? factorProvedAt : provedAt
  }

  /** Accounts without a second factor are asked for nothing. */
  isFresh(session: Session): boolean {
    return session.account.factors.length === 0 || this.hasRecentProof(session)
  }

  hasRecentProof(session: Session): boolean {
    return this.now - this.lastProofOf(session) < FRESH_MINUTES
  }

  /** Whether what the company has sent admits this account. A link counts its uses beside. */
  admits(invitation: Invitation, account: Account): boolean {
    const { company, email, isOver, since } = invitation
    const isPending = !isOver && this.now - since < INVITATION_MINUTES && invitation.usesLeft > 0
    const isCompanyOpen = company.deletedAt === undefined && !company.isSuspended
    const isForAccount = email === undefined ? account.isVerified : account.email === email
    const isFree = isForAccount && !account.isPasswordShown && !isAway(this, invitation, account)
    return isPending && isCompanyOpen && isFree && this.vouches(invitation)
  }

  /** Managers and above add members, and give nothing that they lack. */
  vouches({ company, role, voucher, vouchedAt }: Invitation): boolean {
    const own = this.membershipOf(company, voucher)
    const isStrong = own !== undefined && rankOf(own.role) >= Math.max(rankOf(role), rankOf('Manager'))
    return isStrong && this.isOpenedMembership(own) && vouchedAt > this.vouchesFrom(company, voucher)
  }

  /** What the account did in the company until then gives nothing any more. */
  vouchesFrom(company: Company, account: Account): number {
    const isAdded = this.membershipOf(company, account)?.isAdded
    return Math.max(account.recoveredAt, isAdded ? account.regainedAt : 0)
  }

  isTemporaryValid({ since, emailedTo, shownTo }: Password, account: Account): boolean {
    const isForAccount = emailedTo === undefined || emailedTo === account.email
    const isStoodBy =
      shownTo === undefined ||
      (shownTo.at > shownTo.account.recoveredAt &&
        this.whereJudged(account).every(({ company }) => shownTo.at > this.vouchesFrom(company, shownTo.account)))
    return this.now - since < TEMPORARY_MINUTES && isForAccount && isStoodBy
  }

  /** Where who was shown a password of the account must be able to set it. */
  private whereJudged(account: Account): Membership[] {
    return this.memberships.filter(
      (each) => each.account === account && (each.isOpened || each.company === account.managedBy),
    )
  }

  /** Whether who was shown this temporary password could set it now: a company manages the account, in every company of the account. Otherwise it may be refused. */
  isStoodBy({ shownTo }: Password, account: Account): boolean {
    if (!shownTo) return true
    if (!account.managedBy) return false
    return this.whereJudged(account).every(({ company, role }) => {
      const own = this.membershipOf(company, shownTo.account)
      const isStrong = own !== undefined && rankOf(own.role) >= Math.max(rankOf(role), rankOf('Manager'))
      return isStrong && this.isOpen(own) && !company.isSuspended && own.since < shownTo.at
    })
  }

  /** The valid password with this text. */
  passwordOf(
    account: Account,
    text: string,
  ): { kind: 'chosen' | 'temporary' | 'second'; password: Password } | undefined {
    if (account.chosen?.text === text) return { kind: 'chosen', password: account.chosen }
    for (const kind of ['temporary', 'second'] as const) {
      const password = account[kind]
      if (password?.text === text && this.isTemporaryValid(password, account)) return { kind, password }
    }
    return undefined
  }

  isLinkValid(account: Account, purpose: NonNullable<SecretEmail['purpose']>, token: string): boolean {
    if (purpose === 'undo_email_change') return this.validUndos(account).some((each) => each.token === token)
    if (purpose === 'undo_factor_change') return this.validFactorUndos(account).some((each) => each.token === token)
    const link = account.links[purpose]
    const minutes = purpose === 'reset_password' ? PASSWORD_RESET_MINUTES : LINK_MINUTES
    return link?.token === token && this.now - link.since < minutes
  }

  /** Those that were sent to the address that the account has now. */
  validFactorUndos({ factorUndos, email }: Account, { address = email, at = this.now } = {}): Account['factorUndos'] {
    return factorUndos.filter((each) => each.email === address && at - each.since < FACTOR_UNDO_MINUTES)
  }

  validUndos({ undos }: Account): Account['undos'] {
    return undos.filter(({ since }) => this.now - since < UNDO_MINUTES)
  }

  /** Whether another account can restore the address by a link. */
  isReserved(email: string, { id }: { id?: string } = {}): boolean {
    return this.accounts.some(
      (account) =>
        account.id !== id && this.validUndos(account).some((undo) => undo.isReserved && undo.email === email),
    )
  }

  /** Whether the account counts as a member, for example as the remaining owner. */
  isOpenedMembership({ isActive, awaitsVerification, isOpened }: Membership): boolean {
    return isActive && !awaitsVerification && isOpened
  }

  otherOwners({ company, account }: Membership): Membership[] {
    return this.memberships.filter(
      (each) =>
        each.company === company && each.account !== account && each.role === 'Owner' && this.isOpenedMembership(each),
    )
  }

  /** Whether a stored response with tokens may still be replayed. */
  isReplayValid({ at, version, account, session, refreshToken }: StoredRequest): boolean {
    if (!account || !session) return false
    const isFresh = this.now - at < REPLAY_MINUTES && version === account.version
    return isFresh && this.canRefresh(session) && session.refreshToken === refreshToken
  }

  /** Keeps stories below the limit of five emails an hour for one recipient and kind. */
  canEmail(kind: string, to: string): boolean {
    return this.emailed.filter((each) => each.kind === kind && each.to === to && this.now - each.at < 60).length < 4
  }
}
