/**
 * From this difference on it is reported: tokens, codes of a second factor and the time in which an email must be delivered
 * go by this machine's clock, and what the database keeps by that of its server.
 */
export const CLOCK_SECONDS_MAX = 10

/**
 * By how many seconds this machine's clock is ahead of another one, which was read at some time between `before` and
 * `after`; negative when it is behind. Times are in milliseconds since 1970. The trip is no difference.
 */
export function secondsAhead(other: number, before: number, after: number): number {
  if (other < before) return (before - other) / 1000
  if (other > after) return (after - other) / 1000
  return 0
}

/** One sentence, when it is more than a minor difference. */
export function warningAboutClock(seconds: number): string | undefined {
  if (Math.abs(seconds) <= CLOCK_SECONDS_MAX) return undefined
  const amount = `${Math.round(Math.abs(seconds))} s ${seconds > 0 ? 'ahead of' : 'behind'}`
  return `the clock of this machine is ${amount} that of the database: sign-ins, codes and emails with links may fail until both are synchronized (NTP)`
}
