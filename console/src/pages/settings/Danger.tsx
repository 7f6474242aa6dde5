import { type ReactNode, useState } from 'react'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Can } from '../../ui/Can.tsx'
import { Card } from '../../ui/Page.tsx'
import { DeleteDialog } from './DeleteDialog.tsx'
import { LeaveDialog } from './LeaveDialog.tsx'
import styles from './settings.module.css'

export function Danger() {
  const t = useTexts('settings').danger
  const { summary, can } = useCompany()
  const [open, setOpen] = useState<'leave' | 'delete'>()
  const close = () => setOpen(undefined)
  if (!summary) return null
  return (
    <Card title={can('companies:delete') ? t.title : undefined}>
      <Step title={t.leave} message={t.leaveMessage}>
        <Button onClick={() => setOpen('leave')}>{t.leaveAction}</Button>
      </Step>
      <Can permission="companies:delete">
        <Step title={t.remove} message={t.removeMessage}>
          <Button onClick={() => setOpen('delete')}>{t.removeAction}</Button>
        </Step>
      </Can>
      <LeaveDialog open={open === 'leave'} onClose={close} />
      {open === 'delete' && <DeleteDialog company={summary} onClose={close} />}
    </Card>
  )
}

function Step({ title, message, children }: { title: string; message: string; children: ReactNode }) {
  return (
    <div className={styles.row}>
      <div>
        <h3>{title}</h3>
        <p className={styles.quiet}>{message}</p>
      </div>
      {children}
    </div>
  )
}
