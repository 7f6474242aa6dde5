import { useState } from 'react'
import { tenantry } from '../../api/tenantry.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import styles from './account.module.css'
import { NameForm } from './NameForm.tsx'
import { QrCode } from './QrCode.tsx'

const { factors } = tenantry.account
type Started = Awaited<ReturnType<typeof factors.addApp>>

export interface AddProps {
  onClose: () => void
  /** With recovery codes, where it is the first factor. */
  onAdded: (recoveryCodes: readonly string[] | undefined) => void
}

/** First its name, then the picture that the app reads, and a code that shows that it has. */
export function AddAppDialog({ onClose, onAdded }: AddProps) {
  const t = useTexts('account').factors
  const [started, setStarted] = useState<Started>()
  return (
    <Dialog open sticky onClose={onClose} title={t.addApp} intro={started ? t.scan : t.nameIntro}>
      {started ? (
        <Confirm started={started} onClose={onClose} onAdded={onAdded} />
      ) : (
        <NameForm onClose={onClose} submit={async (body) => setStarted(await factors.addApp(body))} />
      )}
    </Dialog>
  )
}

function Confirm({ started: { id, secret, uri }, onClose, onAdded }: AddProps & { started: Started }) {
  const t = useTexts('account').factors
  const { proofs } = useTexts('auth')
  const form = useForm({
    initial: { code: '' },
    check: ({ code }) => ({ code: code.trim() ? undefined : proofs.totp.missing }),
    fieldOf: { second_factor_wrong: 'code', validation_failed: 'code' },
    submit: async ({ code }) => {
      const { recoveryCodes } = await factors.confirmApp(id, { code: code.replace(/\s/g, '') })
      toast(t.appAdded)
      onAdded(recoveryCodes)
    },
  })
  return (
    <Form form={form}>
      <QrCode text={uri} label={t.picture} />
      <CopyField label={t.typeSecret} value={secret} shown={secret.match(/.{1,4}/g)?.join(' ')} />
      <a className={styles.openApp} href={uri}>
        {t.openApp}
      </a>
      <TextField
        label={proofs.totp.label}
        {...form.field('code')}
        autoComplete="one-time-code"
        inputMode="numeric"
        autoFocus
      />
      <SendButtons form={form} onCancel={onClose}>
        {t.confirm}
      </SendButtons>
    </Form>
  )
}
