import { useState } from 'react'
import { tenantry } from '../../api/tenantry.ts'
import { linkTokens } from '../../link-token.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { type End, endOf } from './use-invitation.ts'

/** Needs no account. */
export function Decline({ company, onEnd }: { company: string; onEnd: (end: End) => void }) {
  const { decline: t } = useTexts('invitation')
  const [isOpen, setOpen] = useState(false)
  const decline = async () => {
    try {
      await tenantry.invitation.decline({ token: linkTokens.invitation })
      onEnd({ how: 'declined' })
    } catch (problem) {
      const end = endOf(problem)
      if (!end) throw problem
      onEnd(end)
    }
  }
  return (
    <>
      <Button variant="quiet" onClick={() => setOpen(true)}>
        {t.action}
      </Button>
      <ConfirmDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={t.title}
        intro={t.intro({ company })}
        action={t.action}
        onConfirm={decline}
      />
    </>
  )
}
