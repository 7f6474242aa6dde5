import { useState } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import { Button } from './Button.tsx'
import styles from './CopyField.module.css'

/** Something to copy, such as a link or a record of the DNS: it is shown whole, whatever its length; as `shown` where that is read better. */
export function CopyField({ label, value, shown = value }: { label: string; value: string; shown?: string }) {
  const t = useTexts('common')
  const [isCopied, setCopied] = useState(false)
  const copy = () => navigator.clipboard.writeText(value).then(() => setCopied(true))
  return (
    <div className={styles.field}>
      <span className={styles.label}>{label}</span>
      <div className={styles.box}>
        <code>{shown}</code>
        <Button size="small" icon={isCopied ? 'check' : 'copy'} onClick={() => void copy()}>
          <span aria-live="polite">{isCopied ? t.copied : t.copy}</span>
          <span className="unseen">{label}</span>
        </Button>
      </div>
    </div>
  )
}
