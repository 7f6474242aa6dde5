import { useTexts } from '../texts/use-texts.ts'
import { IconButton } from './Button.tsx'
import { Icon } from './Icon.tsx'
import styles from './Toast.module.css'
import { dismiss, useToasts } from './toasts.ts'

/** Once, at the root. The region is always there, because one that appears with its text may stay silent. */
export function Toasts() {
  const t = useTexts('common')
  return (
    <div className={styles.region} role="status" aria-live="polite">
      {useToasts().map(({ id, text }) => (
        <div key={id} className={styles.toast}>
          <Icon name="check" />
          <span>{text}</span>
          <IconButton icon="close" label={t.close} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
