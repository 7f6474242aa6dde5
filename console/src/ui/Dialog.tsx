import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode, useRef, useState } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import { ProblemAlert } from './Alert.tsx'
import { Button, type ButtonProps, IconButton } from './Button.tsx'
import { classes } from './classes.ts'
import styles from './Dialog.module.css'
import { useFinalFocus, useResumedFocus } from './dialog-focus.ts'

export interface DialogProps {
  open: boolean
  onClose: () => void
  title: ReactNode
  /** What happens next, in one or two sentences. */
  intro?: ReactNode
  wide?: boolean
  /** A click beside it does not close it, where what it shows would be lost. */
  sticky?: boolean
  /** Escape does not close it either, and nothing but its buttons does: what it shows is shown once. */
  insistent?: boolean
  /** Where the focus goes afterwards; undefined: to where it was, as without it. */
  finalFocus?: () => HTMLElement | null | undefined
  children: ReactNode
}

/** Holds the focus until it is closed, by Escape too, and gives it back to where it was. */
export function Dialog({
  open,
  onClose,
  title,
  intro,
  wide,
  sticky = false,
  insistent,
  finalFocus,
  children,
}: DialogProps) {
  const t = useTexts('common')
  const popup = useRef<HTMLDivElement>(null)
  const resumed = useResumedFocus(popup)
  const back = useFinalFocus(open)
  return (
    <Base.Root
      open={open}
      disablePointerDismissal={sticky || insistent}
      onOpenChange={(next) => !next && !insistent && onClose()}
    >
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Viewport className={styles.viewport}>
          <Base.Popup
            ref={popup}
            className={classes(styles.popup, wide && styles.wide)}
            initialFocus={resumed}
            finalFocus={() => finalFocus?.() ?? back()}
          >
            <div className={styles.head}>
              <Base.Title className={styles.title}>{title}</Base.Title>
              {intro && <Base.Description className={styles.intro}>{intro}</Base.Description>}
              {!insistent && (
                <Base.Close className={styles.close} render={<IconButton icon="close" label={t.close} />} />
              )}
            </div>
            {children}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

/** At the foot of a dialog; the button that does it stands last. */
export const DialogButtons = ({ children }: { children: ReactNode }) => <div className={styles.buttons}>{children}</div>

interface ConfirmProps extends Omit<DialogProps, 'children'> {
  /** Verb and noun, as on the button that opened it. */
  action: string
  variant?: ButtonProps['variant']
  /** Not possible yet; the dialog says what is missing. */
  unavailable?: boolean
  /** Closes the dialog when it succeeds, and shows the problem in it when not. */
  onConfirm: () => Promise<unknown>
  children?: ReactNode
}

/** Asks before what can't be taken back. */
export function ConfirmDialog({
  action,
  variant = 'danger',
  unavailable = false,
  onConfirm,
  children,
  ...dialog
}: ConfirmProps) {
  const t = useTexts('common')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const close = () => {
    setProblem(undefined)
    dialog.onClose()
  }
  const confirm = async () => {
    setBusy(true)
    setProblem(undefined)
    await onConfirm().then(close, setProblem)
    setBusy(false)
  }
  return (
    <Dialog {...dialog} onClose={close}>
      {children}
      {problem !== undefined && <ProblemAlert problem={problem} />}
      <DialogButtons>
        <Button onClick={close}>{t.cancel}</Button>
        <Button variant={variant} busy={busy} unavailable={unavailable} onClick={() => void confirm()}>
          {action}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
