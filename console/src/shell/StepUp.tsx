import { lazy, Suspense, useEffect } from 'react'
import { useWantedStepUp } from '../api/step-up.ts'
import { useSession } from '../api/tenantry.ts'

const StepUpDialog = lazy(async () => ({ default: (await import('./StepUpDialog.tsx')).StepUpDialog }))

/** Once, at the root: whatever is refused for want of a fresh proof opens it. Nothing of it outlives the session. */
export function StepUp() {
  const wanted = useWantedStepUp()
  const isSignedIn = useSession().status === 'signed_in'
  useEffect(() => {
    if (!isSignedIn) wanted?.answer(false)
  }, [isSignedIn, wanted])
  return <Suspense>{wanted && <StepUpDialog methods={wanted.methods} onAnswer={wanted.answer} />}</Suspense>
}
