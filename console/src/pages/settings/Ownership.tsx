import { useState } from 'react'
import { useSignedIn } from '../../api/tenantry.ts'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Page.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import styles from './settings.module.css'
import { TransferDialog } from './TransferDialog.tsx'
import { OfferedTransfer, ReceivedTransfer } from './transfers.tsx'
import type { TransferState } from './use-transfer.ts'

const OWNER = 'Owner'

/** For owners, and for the member to whom ownership is offered; nobody else can do anything about it. */
export function Ownership({ state }: { state: TransferState }) {
  const t = useTexts('settings').ownership
  const { account } = useSignedIn()
  const isOwner = useCompany().roles.includes(OWNER)
  const { data: transfer, error, refetch, hasEnded } = state
  if (!isOwner && !transfer && !hasEnded) return null
  return (
    <Card title={t.title} intro={t.intro}>
      {hasEnded && <Alert>{t.ended}</Alert>}
      {error ? (
        <ErrorState problem={error} onRetry={() => void refetch()} />
      ) : transfer === undefined ? (
        <Skeleton lines={2} />
      ) : transfer === null ? (
        isOwner && <StartTransfer />
      ) : transfer.to.id === account.id ? (
        <ReceivedTransfer transfer={transfer} end={state.end} />
      ) : (
        <OfferedTransfer transfer={transfer} isOwner={isOwner} end={state.end} />
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
