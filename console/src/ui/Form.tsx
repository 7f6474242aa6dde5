import type { ReactNode } from 'react'
import { secondsToWait } from '../api/problems.ts'
import { useCountdown } from '../api/use-countdown.ts'
import { ProblemAlert } from './Alert.tsx'
import { Button, type ButtonProps } from './Button.tsx'
import styles from './Form.module.css'
import type { Form as FormState } from './use-form.ts'
import { useWaitText } from './use-wait-text.ts'

/** Only `form.onSubmit` sends: the browser's own messages stay away, because they do not follow the reader's language. */
export function Form<Values>({ form, children }: { form: FormState<Values>; children: ReactNode }) {
  return (
    <form className={styles.form} noValidate onSubmit={(event) => void form.onSubmit(event)}>
      {children}
    </form>
  )
}

/** What concerns the form as a whole, the button that sends it, and what stands beside that. */
export function FormButtons<Values>({
  form,
  children,
  beside,
  unavailable,
  ...button
}: Pick<ButtonProps, 'variant' | 'wide' | 'icon' | 'unavailable' | 'autoFocus'> & {
  form: FormState<Values>
  children: ReactNode
  beside?: ReactNode
}) {
  const waitText = useWaitText()
  const seconds = useCountdown(secondsToWait(form.problem), form.problem)
  return (
    <>
      {form.problem !== undefined && <ProblemAlert problem={form.problem} />}
      <div className={styles.buttons}>
        <Button variant="primary" {...button} type="submit" busy={form.busy} unavailable={unavailable || seconds > 0}>
          {seconds > 0 ? waitText(seconds) : children}
        </Button>
        {beside}
      </div>
    </>
  )
}

/** Fields that belong together. */
export function FieldGroup({ legend, children }: { legend?: ReactNode; children: ReactNode }) {
  return (
    <fieldset className={styles.group}>
      {legend && <legend className={styles.legend}>{legend}</legend>}
      {children}
    </fieldset>
  )
}
