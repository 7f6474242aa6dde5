import { useState } from 'react'
import { isProblem } from '../../api/problems.ts'
import { tenantry } from '../../api/tenantry.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { useForm } from '../../ui/use-form.ts'
import styles from './account.module.css'
import { QrCode } from './QrCode.tsx'

const { factors } = tenantry.account
type Started = Awaited<ReturnType<typeof factors.addApp>>

interface AddAppProps {
  onClose: () => void
  /** With recovery codes, where it is the first factor. */
  onAdded: (recoveryCodes: readonly string[] | undefined) => void
}

/** First its name, then the picture that the app reads, and a code that shows that it has. */
export function AddAppDialog({ onClose, onAdded }: AddAppProps) {
  const t = useTexts('account').factors
  const [started, setStarted] = useState<Started>()
  return (
    <Dialog open sticky onClose={onClose} title={t.addApp} intro={started ? t.scan : t.nameIntro}>
      {started ? (
        <Confirm started={started} onClose={onClose} onAdded={onAdded} />
      ) : (
        <Name onClose={onClose} onStarted={setStarted} />
      )}
    </Dialog>
  )
}

function Name({ onClose, onStarted }: { onClose: () => void; onStarted: (started: Started) => void }) {
  const t = useTexts('account').factors
  const common = useTexts('common')
  const [asksForCode, setAsksForCode] = useState(false)
  const form = useForm({
    initial: { name: '', emailCode: '' },
    fieldOf: { second_factor_wrong: 'emailCode', validation_failed: 'emailCode' },
    submit: async ({ name, emailCode }) => {
      const body = { ...(name.trim() && { name: name.trim() }), ...(emailCode && { emailCode: emailCode.trim() }) }
      try {
        onStarted(await factors.addApp(body))
      } catch (error) {
        if (!isProblem(error) || error.code !== 'mailbox_code_required') throw error
        setAsksForCode(true)
      }
    },
  })
  return (
    <Form form={form}>
      <TextField
        label={t.name}
        hint={t.nameHint}
        {...form.field('name')}
        optional
        maxLength={64}
        autoComplete="off"
        autoFocus
      />
      {asksForCode && (
        <TextField
          label={t.emailCode}
          hint={t.emailCodeHint}
          {...form.field('emailCode')}
          autoComplete="one-time-code"
          inputMode="numeric"
          autoFocus
        />
      )}
      <FormButtons form={form} beside={<Button onClick={onClose}>{common.cancel}</Button>}>
        {t.next}
      </FormButtons>
    </Form>
  )
}

function Confirm({ started: { id, secret, uri }, onClose, onAdded }: AddAppProps & { started: Started }) {
  const t = useTexts('account').factors
  const { secondFactor } = useTexts('auth')
  const common = useTexts('common')
  const form = useForm({
    initial: { code: '' },
    check: ({ code }) => ({ code: code.trim() ? undefined : secondFactor.app.missing }),
    fieldOf: { second_factor_wrong: 'code', validation_failed: 'code' },
    submit: async ({ code }) => {
      const { recoveryCodes } = await factors.confirmApp(id, { code: code.replace(/\s/g, '') })
      onAdded(recoveryCodes)
    },
  })
  return (
    <Form form={form}>
      <QrCode text={uri} label={t.picture} />
      <p className={styles.aside}>
        {t.typeSecret} <code className={styles.secret}>{secret.match(/.{1,4}/g)?.join(' ')}</code>
      </p>
      <TextField
        label={secondFactor.app.label}
        {...form.field('code')}
        autoComplete="one-time-code"
        inputMode="numeric"
        autoFocus
      />
      <FormButtons form={form} beside={<Button onClick={onClose}>{common.cancel}</Button>}>
        {t.confirm}
      </FormButtons>
    </Form>
  )
}
