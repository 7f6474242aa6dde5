import { useBlocker } from '@tanstack/react-router'
import { tenantry } from '../api/tenantry.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Button } from './Button.tsx'
import { Dialog, DialogButtons } from './Dialog.tsx'

/**
 * Asks before a page is left whose changes are not saved. Not when the session has ended: what was written can't be saved then.
 * A navigation after saving says `ignoreBlocker`.
 */
export function LeaveGuard({ isChanged }: { isChanged: boolean }) {
  const t = useTexts('common').leave
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isChanged && current.pathname !== next.pathname && tenantry.session.get().status === 'signed_in',
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  })
  return (
    <Dialog open={blocker.status === 'blocked'} onClose={() => blocker.reset?.()} title={t.title} intro={t.intro}>
      <DialogButtons>
        <Button onClick={() => blocker.proceed?.()}>{t.leave}</Button>
        <Button variant="primary" onClick={() => blocker.reset?.()}>
          {t.stay}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
