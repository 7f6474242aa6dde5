import { Problem } from '@tenantry/client'

export const isProblem = (error: unknown): error is Problem => error instanceof Problem

/** Whether asking again later can help without any change. */
export const isPassing = (error: unknown): boolean =>
  isProblem(error) && (error.status === 0 || error.status === 429 || error.status >= 500)

/** Longer waits are told in minutes. */
export const SECONDS_MAX = 120

export const secondsToWait = (error: unknown): number => (isProblem(error) ? (error.retryAfter ?? 0) : 0)
