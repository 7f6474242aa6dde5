import { Problem } from '@tenantry/client'

/** Problems have codes, so that each product says them in its own words. */
export function say(error: unknown): string {
  if (!(error instanceof Problem)) return 'Something went wrong. Try again.'
  if (error.code === 'credentials_wrong') return 'Email address or password is incorrect.'
  if (error.code === 'second_factor_wrong')
    return 'This code isn’t right, or it was used already. Wait for the next one. After several attempts, sign in again.'
  if (error.retryAfter) return `Too many attempts. Try again in ${error.retryAfter} seconds.`
  return 'You can’t sign in right now. Try again in a moment.'
}
