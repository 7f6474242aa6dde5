import type { Person } from './people.ts'
import {
  type Account,
  type Company,
  LINK_MINUTES,
  type Membership,
  PASSWORD_RESET_MINUTES,
  type Password,
  type Purpose,
  REFRESH_MINUTES,
  REPLAY_MINUTES,
  SESSION_MINUTES,
  type SecretEmail,
  type Session,
  type StoredRequest,
  TEMPORARY_MINUTES,
} from './state.ts'

/** All that the story has come to. */
export class Model {
  readonly requiresVerification: boolean
  now = 0
  accounts: Account[] = []
  companies: Company[] = []
  memberships: Membership[] = []
  sessions: Session[] = []
  emails: SecretEmail[] = []
  storedRequests: StoredRequest[] = []
  /** Which passwords somebody has come to know, also those that open nothing any more. */
  known: { person: Person; account: Account; text: string }[] = []
  /** When secrets were mailed, by kind and recipient. */
  mailed: { kind: string; to: string; at: number }[] = []
  /** What happened, one line for each step. */
  steps: string[] = []
  #made = 0

  constructor(requiresVerification: boolean) {
    this.requiresVerification = requiresVerification
  }

  next(): number {
    return ++this.#made
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

  isSignedIn({ hasEnded, since }: Session): boolean {
    return hasEnded === false && this.now - since < SESSION_MINUTES
  }

  canRefresh(session: Session): boolean {
    return this.isSignedIn(session) && this.now - session.exchangedAt < REFRESH_MINUTES
  }

  membershipOf(company: Company, account: Account): Membership | undefined {
    return this.memberships.find((each) => each.company === company && each.account === account)
  }

  /** Why this account may be inside, or nothing. */
  isOpen({ company, isActive, awaitsVerification }: Membership): boolean {
    return isActive && !awaitsVerification && company.deletedAt === undefined
  }

  canEnter(session: Session, company: Company): boolean {
    const membership = this.membershipOf(company, session.account)
    return this.isSignedIn(session) && !session.mustChange && membership !== undefined && this.isOpen(membership)
  }

  isTemporaryValid({ since, mailedTo }: Password, { email }: Account): boolean {
    return this.now - since < TEMPORARY_MINUTES && (mailedTo === undefined || mailedTo === email)
  }

  /** Which of its passwords the text is now. */
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

  isLinkValid(account: Account, purpose: Purpose, token: string): boolean {
    const link = account.links[purpose]
    const minutes = purpose === 'reset_password' ? PASSWORD_RESET_MINUTES : LINK_MINUTES
    return link?.token === token && this.now - link.since < minutes
  }

  /** A link counts for this once the account has opened the company. */
  isOpenedMembership({ isActive, awaitsVerification, isOpened }: Membership): boolean {
    return isActive && !awaitsVerification && isOpened
  }

  otherOwners({ company, account }: Membership): Membership[] {
    return this.memberships.filter(
      (each) =>
        each.company === company && each.account !== account && each.role === 'Owner' && this.isOpenedMembership(each),
    )
  }

  /** Whether an answer with tokens that was kept is still true. */
  isReplayValid({ at, version, account, session, refreshToken }: StoredRequest): boolean {
    if (!account || !session) return false
    const isFresh = this.now - at < REPLAY_MINUTES && version === account.version
    return isFresh && this.canRefresh(session) && session.refreshToken === refreshToken
  }

  /** The service keeps to five an hour unless told otherwise; a story that came near to that would be about something else. */
  canEmail(kind: string, to: string): boolean {
    return this.mailed.filter((each) => each.kind === kind && each.to === to && this.now - each.at < 60).length < 4
  }
}
