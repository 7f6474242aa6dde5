import { lazy, Suspense, useEffect } from 'react'
import { closeRecoveryCodes, useShownRecoveryCodes } from '../api/recovery-codes.ts'
import { useSession } from '../api/tenantry.ts'

const RecoveryCodes = lazy(async () => ({
  default: (await import('../pages/account/RecoveryCodes.tsx')).RecoveryCodes,
}))

/** Once, at the root: a page that asked for a second factor is gone as soon as there is one, and the codes are not. */
export function ShownCodes() {
  const codes = useShownRecoveryCodes()
  const isSignedIn = useSession().status === 'signed_in'
  useEffect(() => {
    if (!isSignedIn) closeRecoveryCodes()
  }, [isSignedIn])
  return <Suspense>{codes && <RecoveryCodes codes={codes} onClose={closeRecoveryCodes} />}</Suspense>
}
