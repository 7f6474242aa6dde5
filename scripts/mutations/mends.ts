/** What is taken out of a copy of the source, to see that the stories miss it. */
export interface Mend {
  /** What the service would do without it. */
  without: string
  edits: { file: string; find: string; replacement: string }[]
}

/** One more is one more entry. Each text to find stands exactly once in its file; edits of migrations count, too. */
export const mends: Mend[] = [
  {
    without: 'somebody acts on a member who holds more',
    edits: [
      {
        file: 'src/authority.ts',
        find: "  if (!covers(actor, target)) throw problem('acts_upward')\n",
        replacement: '  covers(actor, target)\n',
      },
    ],
  },
  {
    without: 'a session that has ended while its request waited still changes the account',
    edits: [
      {
        file: 'src/features/accounts/users.ts',
        find: "  if (!session) throw problem('token_invalid')\n",
        replacement: '',
      },
    ],
  },
  {
    without: 'other sessions outlive a change of password',
    edits: [
      {
        file: 'src/features/passwords/changing.ts',
        find: "  await revokeSessions(tx, accountId, 'password_changed', { except: sessionId })\n",
        replacement:
          "  await revokeSessions(tx, accountId, 'password_changed', { only: [sessionId], except: sessionId })\n",
      },
    ],
  },
  {
    without: 'a link opens an account after its password was recovered by another one',
    edits: [
      {
        file: 'src/features/passwords/recovery.ts',
        find: '    await revokeLinks(tx, accountId)\n',
        replacement: '',
      },
    ],
  },
  {
    without: 'a company that links an address that nobody has proven opens at once',
    edits: [
      {
        file: 'src/features/members/adding.ts',
        find: 'const awaits_proof = requireVerifiedEmail && ',
        replacement: 'const awaits_proof = false && requireVerifiedEmail && ',
      },
    ],
  },
]
