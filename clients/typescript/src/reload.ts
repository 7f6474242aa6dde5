import type { Session } from './session.ts'

/** A call that changes what the session shows: it shows that when the call is done. */
export function thenReload<Args extends unknown[], Result>(session: Session, call: (...args: Args) => Promise<Result>) {
  return async (...args: Args): Promise<Result> => {
    const result = await call(...args)
    await session.reload().catch(() => {})
    return result
  }
}

/** What was done changes what a token may do; the done is done, whether or not there is a new one. */
export function thenRefresh<Args extends unknown[], Result>(
  session: Session,
  call: (...args: Args) => Promise<Result>,
) {
  return async (...args: Args): Promise<Result> => {
    const result = await call(...args)
    await renew(session).catch(() => {})
    return result
  }
}

async function renew(session: Session): Promise<void> {
  const held = await session.token()
  await session.refresh(held?.accessToken)
}
