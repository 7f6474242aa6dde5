import { useState } from 'react'
import { useSignedIn } from '../../api/tenantry.ts'
import { readTransfer } from '../../api/transfer.ts'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Page.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import styles from './settings.module.css'
import { TransferDialog } from './TransferDialog.tsx'
import { OfferedTransfer, ReceivedTransfer } from './transfers.tsx'

const OWNER = 'Owner'

/** For owners, and for the member to whom ownership is offered; nobody else can do anything about it. */
export function Ownership() {
  const t = useTexts('settings').ownership
  const { account } = useSignedIn()
  const isOwner = useCompany().roles.includes(OWNER)
  const { data: transfer, error, refetch } = useCompanyQuery(['transfer'], readTransfer)
  if (!isOwner && !transfer) return null
  return (
    <Card title={t.title} intro={t.intro}>
      {error ? (
        <ErrorState problem={error} onRetry={() => void refetch()} />
      ) : transfer === undefined ? (
        <Skeleton lines={2} />
      ) : transfer === null ? (
        <StartTransfer />
      ) : transfer.to.id === account.id ? (
        <ReceivedTransfer transfer={transfer} />
      ) : (
        <OfferedTransfer transfer={transfer} isOwner={isOwner} />
      )}
    </Card>
  )
}

function StartTransfer() {
  const t = useTexts('settings').ownership
  const [isOpen, setOpen] = useState(false)
  return (
    <div className={styles.row}>
      <p className={styles.quiet}>{t.none}</p>
      <Button onClick={() => setOpen(true)}>{t.start}</Button>
      {isOpen && <TransferDialog onClose={() => setOpen(false)} />}
    </div>
  )
}
