import { useState } from 'react'
import { appName } from '../../app-facts.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { saveFile } from '../audit/save-file.ts'
import styles from './account.module.css'

/** Shown once: to be copied, printed or saved. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = useTexts('account').factors
  const common = useTexts('common')
  const [isCopied, setCopied] = useState(false)
  const text = `${codes.join('\n')}\n`
  const save = () => saveFile(`${appName}-recovery-codes.txt`, new Blob([text], { type: 'text/plain' }))
  return (
    <Dialog open insistent onClose={onClose} title={t.codesTitle} intro={t.codesIntro}>
      <ul className={styles.codes} aria-label={t.codesTitle}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={styles.choices}>
        <Button
          icon={isCopied ? 'check' : 'copy'}
          autoFocus
          onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
        >
          <span aria-live="polite">{isCopied ? common.copied : common.copy}</span>
        </Button>
        <Button icon="download" onClick={save}>
          {t.save}
        </Button>
        <Button onClick={() => print()}>{t.print}</Button>
      </div>
      <DialogButtons>
        <Button variant="primary" onClick={onClose}>
          {t.kept}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
