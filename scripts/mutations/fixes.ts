/** A fix of a security hole, which is removed from a copy of the source to see that the stories find the hole. */
export interface Fix {
  /** The behavior without the fix. */
  without: string
  edits: { file: string; find: string; replacement: string }[]
}

/** Each text to find occurs exactly once in its file, which may also be a migration. */
export const fixes: Fix[] = [
  {
    without: 'a suspended company serves its members',
    edits: [
      {
        file: 'src/http/check-access.ts',
        find: "    if (session.authority && session.isSuspended) throw problem('company_suspended')\n",
        replacement: '',
      },
      {
        file: 'src/access/sessions.ts',
        find: 'is_opened and not is_suspended and ',
        replacement: 'is_opened and ',
      },
      {
        file: 'src/access/memberships.ts',
        find: "  if (company.is_suspended && !isAnyEnough) throw problem('company_suspended')\n",
        replacement: '',
      },
    ],
  },
  {
    without: 'members act on members with more permissions',
    edits: [
      {
        file: 'src/access/authority.ts',
        find: "  if (!covers(actor, target)) throw problem('target_exceeds_permissions')\n",
        replacement: '  covers(actor, target)\n',
      },
    ],
  },
  {
    without: 'a session that has ended while its request waited still changes the account',
    edits: [
      {
        file: 'src/features/accounts/accounts.ts',
        find: '  if (!account || !session) throw',
        replacement: '  if (!account) throw',
      },
      {
        // The response is read from the session, too, and is refused without one.
        file: 'src/features/accounts/accounts.ts',
        find: 'const WITH_USER = sessionWith(USER_COLUMNS)\n',
        replacement: "const WITH_USER = sessionWith(USER_COLUMNS).replace('sessions.revoked_at is null', 'true')\n",
      },
    ],
  },
  {
    without: 'other sessions outlive a change of password',
    edits: [
      {
        file: 'src/features/auth/change-password.ts',
        find: "    revokeSessions(tx, accountId, 'password_changed', compromised ? {} : { except: sessionId }),\n",
        replacement:
          "    revokeSessions(tx, accountId, 'password_changed', { only: [sessionId], except: sessionId }),\n",
      },
    ],
  },
  {
    without: 'a company that links an unverified address opens at once',
    edits: [
      {
        file: 'src/features/members/add-member.ts',
        find: '(requireVerifiedEmail || asksDomain(company,',
        replacement: '(asksDomain(company,',
      },
    ],
  },
  {
    without: 'verifying another address opens memberships that were linked by the previous address',
    edits: [
      {
        file: 'src/features/auth/verify-email.ts',
        find: "    if (purpose === 'change_email') await endUnverifiedMemberships(tx, accountId, caller)\n",
        replacement: '',
      },
      {
        file: 'migrations/functions/sync_memberships_from_account.sql',
        find: 'if new.email <> old.email and exists',
        replacement: 'if false and exists',
      },
    ],
  },
  {
    without: 'a shown password opens the companies that linked the account',
    edits: [
      {
        file: 'src/features/members/managed-accounts.ts',
        find: '    await (emailed ? endVouchingOfShown : markPasswordShown)(tx, accountId)\n',
        replacement: '    if (emailed) await endVouchingOfShown(tx, accountId)\n',
      },
    ],
  },
  {
    without: 'an old sign-in is replayed after a change of password',
    edits: [
      {
        file: 'src/features/auth/refresh-replay.ts',
        find: `export const isRepeatable = sql<boolean>\`(\${isRecent} and sessions.credentials_version = (
  select accounts.credentials_version from accounts where accounts.id = sessions.account_id))\``,
        replacement: 'export const isRepeatable = sql<boolean>`true`',
      },
      { file: 'src/http/idempotency/replay.ts', find: 'reserved.isRecent && ', replacement: '' },
    ],
  },
  {
    without: 'a temporary password is emailed to the previous address',
    edits: [
      {
        file: 'src/features/members/reset-authority.ts',
        find: '  return getMembership(tx, target.id)\n',
        replacement: '  return target\n',
      },
    ],
  },
  {
    without: 'an account is linked by its previous address',
    edits: [
      {
        file: 'migrations/functions/find_account.sql',
        find: 'accounts.email = wanted_email) for no key update;',
        replacement: 'accounts.email = wanted_email);',
      },
    ],
  },
  {
    without: 'a link by another company ends the management of an account',
    edits: [
      {
        file: 'migrations/functions/password_reset_authority.sql',
        find: '\n        and (held.opened_at is not null or held.company_id = accounts.managed_by)',
        replacement: '',
      },
    ],
  },
  {
    without: 'a stored response returns tokens after ten minutes',
    edits: [
      {
        file: 'src/features/auth/refresh-replay.ts',
        find: 'isRecent} and sessions.credentials_version',
        replacement: 'isLive} and sessions.credentials_version',
      },
      { file: 'src/http/idempotency/replay.ts', find: 'reserved.isRecent && ', replacement: '' },
    ],
  },
  {
    without: 'an exchanged refresh token with its key returns a pair for days',
    edits: [
      {
        file: 'src/features/auth/refresh.ts',
        find: '((hasKey || isOwed) && session.isRepeatable)',
        replacement: '(hasKey || isOwed)',
      },
    ],
  },
  {
    without: 'an owner who has never opened the company counts as its last owner',
    edits: [
      {
        file: 'src/access/owners.ts',
        find: "= 'active' and memberships.opened_at is not null`",
        replacement: "= 'active'`",
      },
      {
        file: 'migrations/functions/check_company_has_owner.sql',
        find: "and status = 'active' and opened_at is not null offset 0\n  ) owners\n  limit 1;",
        replacement: "and status = 'active' offset 0\n  ) owners\n  limit 1;",
      },
    ],
  },
  {
    without: 'the password survives the undo of a change of address',
    edits: [
      {
        file: 'src/features/auth/undo-email-change.ts',
        find: '  await deletePasswords(tx, account.id)\n',
        replacement: '',
      },
    ],
  },
  {
    without: 'a factor from since a change of address survives its undo',
    edits: [
      {
        file: 'src/features/auth/undo-email-change.ts',
        find: '    await deleteFactorsSince(tx, account.id, await findUndoableSince(tx, { accountId, email, changedAt }))\n',
        replacement: '',
      },
    ],
  },
  {
    without: 'sessions survive a factor that they have proved',
    edits: [
      {
        file: 'src/features/accounts/factors/factors.ts',
        find: '  if (only.length > 0) await revokeSessions',
        replacement: '  if (only.length > 999) await revokeSessions',
      },
    ],
  },
]
