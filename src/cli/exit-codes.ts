/** What a command tells the shell; docs/operations.md lists them. */
export const EXIT = {
  done: 0,
  /** Refused or failed; nothing was changed unless the message says so. For `audit verify` and `doctor`: something is wrong. */
  failed: 1,
  /** A wrong command, option or argument. */
  usage: 2,
  notFound: 3,
  /** The database can't be reached or is busy: the same command may succeed later. */
  unavailable: 4,
} as const
