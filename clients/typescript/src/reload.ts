import type { Session } from './session.ts'

/** A call that changes what the session shows: it shows that when the call is done. */
export function thenReload<Args extends unknown[], Result>(session: Session, call: (...args: Args) => Promise<Result>) {
  return async (...args: Args): Promise<Result> => {
    const result = await call(...args)
    await session.reload().catch(() => {})
    return result
  }
}
