import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import { ProblemAlert } from './Alert.tsx'
import { Button, type ButtonProps, IconButton } from './Button.tsx'
import { classes } from './classes.ts'
import styles from './Dialog.module.css'

export interface DialogProps {
  open: boolean
  onClose: () => void
  title: ReactNode
  /** What happens next, in one or two sentences. */
  intro?: ReactNode
  wide?: boolean
  /** A click beside it does not close it, where what it shows would be lost. */
  sticky?: boolean
  /** Where the focus goes afterwards; true: to where it was, as without it. */
  finalFocus?: () => HTMLElement | true | null
  children: ReactNode
}

/** Holds the focus until it is closed, by Escape too, and gives it back to where it was. */
export function Dialog({ open, onClose, title, intro, wide, sticky = false, finalFocus, children }: DialogProps) {
  const t = useTexts('common')
  const popup = useRef<HTMLDivElement>(null)
  useFocusAfterHiding(popup)
  return (
    <Base.Root open={open} disablePointerDismissal={sticky} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Viewport className={styles.viewport}>
          <Base.Popup ref={popup} className={classes(styles.popup, wide && styles.wide)} finalFocus={finalFocus}>
            <div className={styles.head}>
              <Base.Title className={styles.title}>{title}</Base.Title>
              {intro && <Base.Description className={styles.intro}>{intro}</Base.Description>}
              <Base.Close className={styles.close} render={<IconButton icon="close" label={t.close} />} />
            </div>
            {children}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

/**
 * A page that was hidden is shown again with its dialog, and React runs effects again then. The focus has gone elsewhere
 * meanwhile, or nowhere: it goes back to where it was in the dialog.
 */
function useFocusAfterHiding(popup: RefObject<HTMLDivElement | null>): void {
  const last = useRef<Element>(null)
  useEffect(() => {
    const dialog = popup.current
    if (dialog && !dialog.contains(document.activeElement)) {
      const isThere = last.current instanceof HTMLElement && dialog.contains(last.current)
      ;(isThere ? (last.current as HTMLElement) : dialog).focus()
    }
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof Element && popup.current?.contains(target)) last.current = target
    }
    document.addEventListener('focusin', remember)
    return () => document.removeEventListener('focusin', remember)
  }, [popup])
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
