import { lazy, Suspense } from 'react'
import { useWantedStepUp } from '../api/step-up.ts'

const StepUpDialog = lazy(async () => ({ default: (await import('./StepUpDialog.tsx')).StepUpDialog }))

/** Once, at the root: whatever is refused for want of a fresh proof opens it. */
export function StepUp() {
  const wanted = useWantedStepUp()
  return <Suspense>{wanted && <StepUpDialog methods={wanted.methods} onAnswer={wanted.answer} />}</Suspense>
}
