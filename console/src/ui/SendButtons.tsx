import type { ReactNode } from 'react'
import { secondsToWait } from '../api/problems.ts'
import { useCountdown } from '../api/use-countdown.ts'
import { useTexts } from '../texts/use-texts.ts'
import { ProblemAlert } from './Alert.tsx'
import { Button, type ButtonProps } from './Button.tsx'
import { DialogButtons } from './Dialog.tsx'
import type { Form } from './use-form.ts'
import { useWaitText } from './use-wait-text.ts'

interface SendProps<Values> extends Pick<ButtonProps, 'variant' | 'icon' | 'unavailable' | 'autoFocus'> {
  form: Form<Values>
  onCancel: () => void
  children: ReactNode
}

/** The foot of a form in a dialog: its problem, the way back, and the button that sends it. */
export function SendButtons<Values>({ form, onCancel, unavailable, children, ...button }: SendProps<Values>) {
  const t = useTexts('common')
  const waitText = useWaitText()
  const seconds = useCountdown(secondsToWait(form.problem), form.problem)
  return (
    <>
      {form.problem !== undefined && <ProblemAlert problem={form.problem} />}
      <DialogButtons>
        <Button onClick={onCancel}>{t.cancel}</Button>
        <Button variant="primary" {...button} type="submit" busy={form.busy} unavailable={unavailable || seconds > 0}>
          {seconds > 0 ? waitText(seconds) : children}
        </Button>
      </DialogButtons>
    </>
  )
}
