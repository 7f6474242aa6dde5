import type { Fix } from './fixes.ts'

/** A rule, and the test files of which at least one must fail without it: one test is faster here than hours of stories. */
export interface TestedRule extends Fix {
  tests: string[]
}

const rule = (without: string, tests: string[], file: string, find: string, replacement: string): TestedRule => ({
  without,
  tests,
  edits: [{ file, find, replacement }],
})

const invitations = 'src/features/invitations'
const domains = 'src/features/domains'
const policy = 'src/features/companies/policy'
const factors = 'src/features/accounts/factors'
const passkeys = 'src/features/accounts/passkeys'
const answers = [`${invitations}/answers.test.ts`]
const links = [`${invitations}/links.test.ts`]
const edits = [`${invitations}/invitations.test.ts`]
const stolen = ['src/features/auth/stolen-token.test.ts']
const joining = [`${domains}/joining.test.ts`]
const verifying = [`${domains}/verification.test.ts`]
const doors = ['src/access/policies.test.ts']
const agreement = [`${policy}/agreement.test.ts`]
const changes = [`${policy}/policy.test.ts`]
const signIn = ['src/features/auth/confirm-sign-in.test.ts']
const keys = ['src/features/auth/passkey-sign-in.test.ts', `${passkeys}/verification.test.ts`]

/** The rules of invitations, domains, policies, second factors, passkeys, and what companies learn and their logs keep. */
export const rules: TestedRule[] = [
  rule(
    'an invitation is accepted by any account that has its token',
    answers,
    `${invitations}/accept-invitation.ts`,
    '  if (account.email !== email) throw',
    '  if (!isProof && account.email !== email) throw',
  ),
  rule(
    'an invitation is accepted by its id without a code from the mailbox',
    answers,
    `${invitations}/accept-invitation.ts`,
    "  await confirmMailbox(deps, actor, given, 'joining')\n",
    '',
  ),
  rule(
    'an invitation is declined by its id without a code from the mailbox',
    answers,
    `${invitations}/decline-invitation.ts`,
    "  await confirmMailbox(deps, actor, given, 'joining')\n",
    '',
  ),
  rule(
    'an administrator who knows a password accepts in the place of its owner',
    answers,
    `${invitations}/accept-invitation.ts`,
    '  assertPasswordNotShown(account)\n',
    '',
  ),
  rule(
    'a replaced link still opens its invitation',
    edits,
    `${invitations}/edit-invitation.ts`,
    '      link_id: linkId,\n',
    '',
  ),
  rule(
    'an inviter vouches with roles of another time',
    answers,
    `${invitations}/vouching.ts`,
    "member.permissions.has('users:create') && covers(member, authorityOf(roles))",
    'roles.length > 0',
  ),
  rule(
    'an invitation that its inviter can’t give lives on',
    answers,
    `${invitations}/admission.ts`,
    ".set({ status: 'revoked', finished_at: sql`now()` })",
    '.set({ updated_at: sql`updated_at` })',
  ),
  rule(
    'what was sent before brings a former member back',
    answers,
    `${invitations}/admission.ts`,
    'const inviter = hasLeft || !isAllowed ?',
    'const inviter = !isAllowed ?',
  ),
  rule(
    'an invitation makes a member of an address that the policy has excluded since',
    changes,
    `${invitations}/admission.ts`,
    'const inviter = hasLeft || !isAllowed ?',
    'const inviter = hasLeft ?',
  ),
  rule(
    'an invitation expires by nothing',
    answers,
    'migrations/functions/find_invitation.sql',
    "invitations.status = 'pending' and invitations.expires_at > now())",
    "invitations.status = 'pending')",
  ),
  rule(
    'an editor gives what the editor lacks',
    edits,
    `${invitations}/edit-invitation.ts`,
    '  assertCanGrant(actor, wanted?.roles ?? [])\n',
    '',
  ),
  rule(
    'an invitation is changed by members who lack what it gives',
    edits,
    `${invitations}/edit-invitation.ts`,
    '  assertCanActOn(actor, authorityOf(roles))\n',
    '',
  ),
  rule(
    'an old session vouches for an owner whom another one has invited',
    stolen,
    `${invitations}/edit-invitation.ts`,
    'assertCanGive(tx, actor, wanted?.roles ?? former)',
    'assertCanGive(tx, actor, wanted?.roles ?? [])',
  ),
  rule(
    'an old session gives its accomplice what a fresh one is asked for',
    stolen,
    'src/features/roles/edit-role.ts',
    '  await assertCanEntrust(tx, actor, authorityOf([grantOf(next.permissions)]), authorityOf([grantOf(now.permissions)]))\n',
    '',
  ),
  rule(
    'a link is used more often than it says',
    links,
    `${invitations}/join-by-link.ts`,
    '    .where(sql<boolean>`uses < max_uses`)\n',
    '',
  ),
  {
    without: 'a link lets people join whose mailbox nothing proves',
    tests: links,
    edits: [
      {
        file: `${invitations}/join-by-link.ts`,
        find: "  await confirmMailbox(deps, actor, given, 'joining')\n",
        replacement: '',
      },
      { file: `${invitations}/join-by-link.ts`, find: '  assertMailboxProved(account)\n', replacement: '' },
    ],
  },
  rule(
    'a link brings a former member back',
    links,
    `${invitations}/join-by-link.ts`,
    "  if (await hasLeftSince(tx, id, account.id)) throw problem('invitation_no_longer_valid')\n",
    '',
  ),
  rule(
    'an unverified address joins by its domain',
    joining,
    'migrations/functions/joinable_companies.sql',
    'accounts.id = current_account() and accounts.email_verified_at is not null',
    'accounts.id = current_account()',
  ),
  rule(
    'a stranger joins by an address that its owner has verified',
    joining,
    `${domains}/join-company.ts`,
    "  await confirmMailbox(deps, actor, given, 'joining')\n",
    '',
  ),
  rule(
    'a former member joins again at once',
    joining,
    `${domains}/join-company.ts`,
    "domain.join_policy === 'auto' && !former",
    "domain.join_policy === 'auto'",
  ),
  rule(
    'people join by what an intruder chose in an account that is recovered since',
    joining,
    'migrations/functions/can_stand_by_joining.sql',
    '      and (accounts.recovered_at is null or chosen_at > accounts.recovered_at)\n',
    '',
  ),
  rule(
    'people join by what was chosen by who is no owner any more',
    joining,
    'migrations/functions/can_stand_by_joining.sql',
    " and roles.system_key = 'owner'",
    '',
  ),
  rule(
    'a password works that an intruder was shown in the account of an administrator',
    ['src/features/members/reset-password.test.ts'],
    'migrations/functions/is_shown_password_usable.sql',
    '      and coalesce(administrators.recovered_at < shown_at, true)\n',
    '',
  ),
  rule(
    'a password works that was shown to an administrator who was removed',
    ['src/features/members/reset-password.test.ts'],
    'migrations/functions/is_shown_password_usable.sql',
    '(managed.managed_by is null or exists (',
    '(true or exists (',
  ),
  rule(
    'offers of one owner share the lock of the account',
    ['src/features/members/account-locks.test.ts'],
    'migrations/functions/expire_offer_of_recovered.sql',
    'for no key update);',
    'for share);',
  ),
  rule(
    'others add an account to any number of companies',
    ['src/features/companies/companies-of-account.test.ts'],
    'migrations/functions/bound_added_companies.sql',
    'then 2000 else 1000 end',
    'then 2000 else 1001 end',
  ),
  rule(
    'an owner who takes the address back leaves the intruder a link',
    ['src/features/auth/undo-email-change.test.ts'],
    'src/features/auth/verify-email.ts',
    'if (isRestored || isChosenByCompany(account))',
    'if (isChosenByCompany(account))',
  ),
  rule(
    'people who join get what members gave a role later',
    joining,
    `${domains}/join-roles.ts`,
    'new Set(role.permissions).isSubsetOf(approved)',
    'approved.size >= 0',
  ),
  rule(
    'a domain is proved by the record of another company',
    verifying,
    `${domains}/dns.ts`,
    "strings.join('') === value",
    "strings.join('').startsWith('tenantry-domain=')",
  ),
  rule(
    'a domain moves by a record from before the proof of another company',
    verifying,
    'migrations/functions/prove_domain.sql',
    '  on conflict (name) do update set domain_id = excluded.domain_id, id = excluded.id',
    '  on conflict (name) do nothing',
  ),
  {
    without: 'a domain moves to the company whose proof is older',
    tests: verifying,
    edits: [
      {
        file: `${domains}/verify-domain.ts`,
        find: "  if (domain.token !== provedToken) throw problem('domain_taken')\n",
        replacement: '',
      },
      {
        file: 'migrations/functions/prove_domain.sql',
        find: '    and domain_token(company_domains.id, company_domains.name, company_domains.token) = proved_token;\n',
        replacement: ';\n',
      },
    ],
  },
  {
    without: 'the policy of a company is asked at no read',
    tests: doors,
    edits: [
      {
        file: 'src/access/sessions.ts',
        find: 'not must_change_password and is_opened and not is_suspended and closed_by is null',
        replacement: 'not must_change_password and is_opened and not is_suspended',
      },
      {
        file: 'src/http/check-access.ts',
        find: '    if (session.authority && session.closedBy)\n',
        replacement: "    if (session.authority && session.closedBy && request.method !== 'GET')\n",
      },
    ],
  },
  rule(
    'the policy of a company is not asked again under its lock',
    doors,
    'src/access/memberships.ts',
    '  if (session.closed_by && !isAnyEnough) throw await closedProblem(tx, actor, session.closed_by)\n',
    '',
  ),
  rule(
    'a session counts as proved by a factor that the account has no more',
    doors,
    'migrations/functions/closed_by.sql',
    'not (has_second_factor and (session).second_factor_at is not null)',
    'not ((session).second_factor_at is not null)',
  ),
  rule(
    'the age of a session counts from its last exchange of tokens',
    doors,
    'migrations/functions/closed_by.sql',
    "(session).second_factor_at else (session).authenticated_at end, '-infinity')",
    "(session).second_factor_at else (session).last_used_at end, '-infinity')",
  ),
  rule(
    'a dry run knows nothing of passwords',
    agreement,
    'migrations/functions/policy_findings.sql',
    "case when not used.accepts_one_password then 'password' end",
    "case when false then 'password' end",
  ),
  rule(
    'a policy shuts out the one who sets it',
    changes,
    `${policy}/update-policy.ts`,
    "  if (closedBy) throw problem('policy_locks_you_out', { closedBy })\n",
    '',
  ),
  rule(
    'a member shuts out an owner by a policy',
    changes,
    `${policy}/update-policy.ts`,
    'if (isOneOutside || (!actor.isOwner && after.some(isShutOut))) throw',
    'if (isOneOutside) throw',
  ),
  rule(
    'a member shuts out an owner from one of the places where the owner is signed in',
    changes,
    'migrations/functions/owners_outside.sql',
    'bool_and(coalesce',
    'bool_or(coalesce',
  ),
  rule(
    'links of a member who left work again once the member is back',
    ['src/features/invitations/former-inviter.test.ts'],
    'migrations/functions/forget_inviter.sql',
    '  update invitation_links set creator_id = null\n',
    '  update invitation_links set creator_id = creator_id\n',
  ),
  rule(
    'invitations of a member who left work again once the member is back',
    ['src/features/invitations/former-inviter.test.ts'],
    'migrations/functions/forget_inviter.sql',
    '  update invitations set inviter_id = null\n',
    '  update invitations set inviter_id = inviter_id\n',
  ),
  rule(
    'a company has any number of roles, until statements about its owners and its policy take too long',
    ['src/features/roles/roles.test.ts'],
    'src/features/roles/edit-role.ts',
    '  await assertBelowLimit(tx)\n',
    '',
  ),
  rule(
    'an account enters any number of companies, until what it changes can be written to no more of them',
    ['src/features/companies/companies-of-account.test.ts'],
    'migrations/functions/count_opened_company.sql',
    "  if tg_op = 'INSERT' and opened > 1000 and (",
    '  if false and (',
  ),
  rule(
    'the last owner whom the policy lets in goes',
    [...changes, `${policy}/networks.test.ts`],
    'src/access/owners.ts',
    "  if (isLast) throw problem('policy_locks_all_owners')\n",
    '',
  ),
  rule(
    'the last factor goes although a company asks for it',
    ['src/features/auth/required-factors.test.ts'],
    `${factors}/required-factors.ts`,
    "  if (companies.length > 0) throw problem('factor_required')\n",
    '',
  ),
  rule(
    'a code of an app works twice',
    ['src/features/auth/second-factor.test.ts', ...signIn],
    `${factors}/totp-factors.ts`,
    "    .where('last_step', '<', step)\n",
    '',
  ),
  rule(
    'a recovery code works twice',
    ['src/features/auth/second-factor.test.ts', ...signIn],
    `${factors}/recovery-codes.ts`,
    "    .where('hash', '=', hashOf(accountId, normalized(code)))\n    .where('used_at', 'is', null)\n",
    "    .where('hash', '=', hashOf(accountId, normalized(code)))\n",
  ),
  rule(
    'a session that a recovery code has opened outlives new codes',
    ['src/features/auth/factors.test.ts'],
    `${factors}/factors.ts`,
    '  await endSessionsProvedBy(tx, actor, actor.accountId)\n  return codes',
    '  return codes',
  ),
  rule(
    'a factor survives where the undo of an address comes after its own link has expired',
    ['src/features/auth/undo-email-change.test.ts'],
    `${factors}/factor-change-undos.ts`,
    `sql<string>\`\${changedAt}::timestamptz\`)`,
    'sql<string>`now()`)',
  ),
  rule(
    'a stolen token makes lasting members with more than Member gives',
    stolen,
    'src/access/freshness.ts',
    '!ORDINARY.has(permission)',
    'false',
  ),
  rule(
    'a removal of factors is carried out whose link no secret makes any more',
    ['src/features/auth/reset-factors.test.ts'],
    'src/features/auth/reset-factors.ts',
    ' || !isCancellable',
    '',
  ),
  rule(
    'an account has any number of sessions',
    ['src/features/auth/many-sessions.test.ts'],
    'src/features/accounts/sessions.ts',
    '    endExcessSessions(tx, accountId),\n',
    '',
  ),
  rule(
    'all sessions of an account are ended by one statement',
    ['src/features/auth/many-sessions.test.ts'],
    'src/features/accounts/revoke-sessions.ts',
    'REVOKED_AT_ONCE = 250',
    'REVOKED_AT_ONCE = 1_000_000',
  ),
  rule(
    'a blocked address in its own network is refused like one that is not blocked',
    ['src/features/auth/password-attempts.test.ts'],
    'src/features/auth/sign-in.ts',
    '    if (!isCounted && !matched) throw',
    '    if (!isCounted && !isKnown) throw',
  ),
  rule(
    'a blocked password is verified in a network that only other accounts know',
    ['src/features/auth/password-attempts.test.ts'],
    'src/features/auth/sign-in.ts',
    'isCounted || isKnown ? account?.passwords : undefined',
    'account?.passwords',
  ),
  rule(
    'a challenge outlives the password that it was made for',
    signIn,
    'src/features/auth/confirm-sign-in.ts',
    'account.disabled_at || account.credentials_version !== credentialsVersion',
    'account.disabled_at',
  ),
  rule(
    'a challenge is tried as often as one likes',
    signIn,
    `${factors}/sign-in-challenges.ts`,
    ` and attempts < \${ATTEMPTS_MAX}`,
    '',
  ),
  rule(
    'an account is tried as often as there are challenges',
    signIn,
    `${factors}/attempts.ts`,
    `  where coalesce(attempts.times[\${ATTEMPTS_PER_HOUR[purpose]}] <= now() - interval '1 hour', true)\n`,
    '',
  ),
  {
    without: 'the password makes a session of an account with a factor fresh',
    tests: ['src/features/auth/step-up.test.ts'],
    edits: [
      {
        file: 'src/features/auth/step-up.ts',
        find: '  if (has_second_factor === (currentPassword !== undefined)) throw wrong(actor)\n',
        replacement: '',
      },
      {
        file: 'src/features/auth/step-up.ts',
        find: '    if (account.has_second_factor) throw wrong(actor)\n',
        replacement: '',
      },
    ],
  },
  rule(
    'an undone change leaves the factors that were added since',
    ['src/features/auth/undo-factor-change.test.ts'],
    'src/features/auth/undo-factor-change.ts',
    '    await deleteFactorsSince(tx, account.id, madeAt)\n',
    '',
  ),
  rule(
    'a passkey signs in without its user verified',
    keys,
    `${passkeys}/verification.ts`,
    'requireUserVerification: true',
    'requireUserVerification: false',
  ),
  rule(
    'a passkey signs in from the page of another origin',
    keys,
    `${passkeys}/verification.ts`,
    '  return ON_THIS_MACHINE.test(origin) ? [origin] : []',
    '  return [origin]',
  ),
  rule(
    'a passkey signs in inside the frame of another page',
    keys,
    `${passkeys}/verification.ts`,
    "  if (crossOrigin || topOrigin) throw new Error('Used inside a page of another origin')\n",
    '',
  ),
  rule(
    'a passkey whose counter has gone back signs in',
    keys,
    `${passkeys}/passkeys.ts`,
    '(counter = 0 and ',
    '(counter >= 0 or ',
  ),
  rule(
    'a passkey proves the account of another handle',
    keys,
    `${passkeys}/passkeys.ts`,
    "  return userHandle ? userHandle === known.handle.toString('base64url') : accountId !== undefined",
    "  return userHandle ? userHandle !== '' : accountId !== undefined",
  ),
  rule(
    'the erasure of anyone by an address hides all that is erased without an id',
    ['src/features/audit/erasure/erase-person.test.ts'],
    'src/features/audit/chain/erasures.ts',
    'this.#byPosition[part].delete(erased)',
    'this.#byPosition[part].clear()',
  ),
  rule(
    'a company learns of a refused leaving who has not opened it',
    ['src/features/members/opening.test.ts'],
    'src/access/memberships.ts',
    'isUnseen: !is_opened }',
    'isUnseen: false }',
  ),
]
