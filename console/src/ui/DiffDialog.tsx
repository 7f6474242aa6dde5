import { isProblem } from '../api/problems.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Button } from './Button.tsx'
import { Dialog, DialogButtons } from './Dialog.tsx'
import styles from './DiffDialog.module.css'

export interface Difference {
  label: string
  theirs: string
  yours: string
}

interface DiffDialogProps {
  open: boolean
  /** Only what differs. */
  differences: Difference[]
  busy?: boolean
  /** Shows what is saved, and drops the changes. */
  onKeepTheirs: () => void
  /** Saves the changes over the newest version. */
  onKeepYours: () => void
}

/** Someone saved the same thing in the meantime (412): both versions, and the choice between them. */
export function DiffDialog({ open, differences, busy, onKeepTheirs, onKeepYours }: DiffDialogProps) {
  const t = useTexts('common').conflict
  return (
    <Dialog wide open={open} onClose={onKeepTheirs} title={t.title} intro={t.intro}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t.field}</th>
            <th scope="col">{t.theirs}</th>
            <th scope="col">{t.yours}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ label, theirs, yours }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td className={styles.theirs}>{theirs || <span className={styles.empty}>{t.empty}</span>}</td>
              <td className={styles.yours}>{yours || <span className={styles.empty}>{t.empty}</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <DialogButtons>
        <Button onClick={onKeepTheirs}>{t.keepTheirs}</Button>
        <Button variant="primary" busy={busy} onClick={onKeepYours}>
          {t.keepYours}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

export const isConflict = (error: unknown): boolean => isProblem(error) && error.code === 'version_mismatch'
