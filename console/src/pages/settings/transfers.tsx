import type { CompanyScope } from '@tenantry/client'
import { useState } from 'react'
import { useCompany } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/Dialog.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import styles from './settings.module.css'
import type { TransferState } from './use-transfer.ts'

type Transfer = Awaited<ReturnType<CompanyScope['transfer']['get']>>

interface TransferProps {
  transfer: Transfer
  /** True when this call ended it, false when it had ended already. */
  end: TransferState['end']
}

/** As owners see it; whoever offered it may no longer be one. */
export function OfferedTransfer({ transfer, isOwner, end }: TransferProps & { isOwner: boolean }) {
  const t = useTexts('settings').ownership.offered
  const { moment, day } = useFormat()
  const { scope } = useCompany()
  const [isCanceling, setCanceling] = useState(false)
  const { from, to, created_at, expires_at } = transfer
  const cancel = async () => {
    if (await end(scope.transfer.cancel())) toast(t.canceled)
  }
  return (
    <Alert title={t.title({ to: to.name })}>
      <p>
        {t.message({
          from: from.name,
          to: to.name,
          email: to.email,
          day: day(created_at),
          until: moment(expires_at),
        })}
      </p>
      {isOwner && <Button onClick={() => setCanceling(true)}>{t.cancel}</Button>}
      <ConfirmDialog
        open={isCanceling}
        onClose={() => setCanceling(false)}
        title={t.cancelTitle({ to: to.name })}
        intro={t.cancelIntro}
        action={t.cancel}
        onConfirm={cancel}
      />
    </Alert>
  )
}

/** As the member sees it who can accept it. */
export function ReceivedTransfer({ transfer, end }: TransferProps) {
  const t = useTexts('settings').ownership.received
  const { moment } = useFormat()
  const { scope } = useCompany()
  const [open, setOpen] = useState<'accept' | 'decline'>()
  const from = transfer.from.name
  const close = () => setOpen(undefined)
  const decline = async () => {
    if (await end(scope.transfer.decline())) toast(t.declined)
  }
  return (
    <Alert title={t.title({ from })}>
      <p>{t.message({ from, until: moment(transfer.expires_at) })}</p>
      <div className={styles.buttons}>
        <Button onClick={() => setOpen('accept')}>{t.accept}</Button>
        <Button onClick={() => setOpen('decline')}>{t.decline}</Button>
      </div>
      {open === 'accept' && <AcceptDialog transfer={transfer} end={end} onClose={close} />}
      <ConfirmDialog
        open={open === 'decline'}
        onClose={close}
        title={t.declineTitle}
        intro={t.declineIntro({ from })}
        action={t.declineAction}
        onConfirm={decline}
      />
    </Alert>
  )
}

function AcceptDialog({ transfer, end, onClose }: TransferProps & { onClose: () => void }) {
  const t = useTexts('settings').ownership.received
  const { scope } = useCompany()
  const company = transfer.company.name
  const form = useForm({
    initial: { currentPassword: '' },
    check: ({ currentPassword }) => ({ currentPassword: currentPassword ? undefined : t.passwordMissing }),
    fieldOf: { current_password_wrong: 'currentPassword' },
    submit: async (values) => {
      const isDone = await end(scope.transfer.accept(values))
      onClose()
      if (isDone) toast(t.accepted({ company }))
    },
  })
  return (
    <Dialog open onClose={onClose} title={t.acceptTitle({ company })} intro={t.acceptIntro}>
      <Form form={form}>
        <PasswordField
          label={t.password}
          {...form.field('currentPassword')}
          autoComplete="current-password"
          autoFocus
        />
        <SendButtons form={form} onCancel={onClose}>
          {t.accept}
        </SendButtons>
      </Form>
    </Dialog>
  )
}
