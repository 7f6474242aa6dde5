import type { ReactNode } from 'react'
import { secondsToWait } from '../../api/problems.ts'
import { useCountdown } from '../../api/use-countdown.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ProblemAlert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { DialogButtons } from '../../ui/Dialog.tsx'
import type { Form } from '../../ui/use-form.ts'

interface SendProps<Values> {
  form: Form<Values>
  onCancel: () => void
  /** Nothing has changed yet. */
  unavailable?: boolean
  children: ReactNode
}

/** The foot of a form in a dialog: its problem, the way back, and the button that sends it. */
export function SendButtons<Values>({ form, onCancel, unavailable = false, children }: SendProps<Values>) {
  const t = useTexts('common')
  const seconds = useCountdown(secondsToWait(form.problem), form.problem)
  return (
    <>
      {form.problem !== undefined && <ProblemAlert problem={form.problem} />}
      <DialogButtons>
        <Button onClick={onCancel}>{t.cancel}</Button>
        <Button type="submit" variant="primary" busy={form.busy} unavailable={unavailable || seconds > 0}>
          {seconds > 0 ? t.waitSeconds({ seconds }) : children}
        </Button>
      </DialogButtons>
    </>
  )
}
