import { useState } from 'react'
import { tenantry, useSignedIn } from '../api/tenantry.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { PasswordField, TextField } from '../ui/Field.tsx'
import { Form, FormButtons } from '../ui/Form.tsx'
import { useForm } from '../ui/use-form.ts'

type Way = 'password' | 'app' | 'recovery'

interface StepUpProps {
  /** How the account can prove who it is. */
  methods: readonly string[]
  onAnswer: (isProved: boolean) => void
}

/** Asks for a fresh proof: a second factor, or the password where the account has none. */
export function StepUpDialog({ methods, onAnswer }: StepUpProps) {
  const { stepUp: t, secondFactor, fields } = useTexts('auth')
  const common = useTexts('common')
  const { account } = useSignedIn()
  const hasApp = methods.includes('totp')
  const [way, setWay] = useState<Way>(hasApp ? 'app' : methods.includes('recovery_code') ? 'recovery' : 'password')
  const codeTexts = way === 'recovery' ? secondFactor.recovery : secondFactor.app
  const form = useForm({
    initial: { answer: '' },
    check: ({ answer }) => ({ answer: answer.trim() ? undefined : way === 'password' ? t.missing : codeTexts.missing }),
    fieldOf: { second_factor_wrong: 'answer', current_password_wrong: 'answer', validation_failed: 'answer' },
    submit: async ({ answer }) => {
      await tenantry.account.stepUp(bodyOf(way, answer))
      onAnswer(true)
    },
  })
  const change = () => {
    form.reset({ answer: '' })
    setWay(way === 'app' ? 'recovery' : 'app')
  }
  return (
    <Dialog open sticky onClose={() => onAnswer(false)} title={t.title} intro={t.intro}>
      <Form form={form}>
        <input type="email" autoComplete="username" value={account.email} readOnly hidden />
        {way === 'password' ? (
          <PasswordField label={fields.password} {...form.field('answer')} autoComplete="current-password" autoFocus />
        ) : (
          <TextField
            key={way}
            label={codeTexts.label}
            hint={codeTexts.intro}
            {...form.field('answer')}
            autoComplete={way === 'app' ? 'one-time-code' : 'off'}
            inputMode={way === 'app' ? 'numeric' : 'text'}
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
          />
        )}
        {hasApp && methods.includes('recovery_code') && (
          <Button variant="quiet" onClick={change}>
            {codeTexts.other}
          </Button>
        )}
        <FormButtons form={form} beside={<Button onClick={() => onAnswer(false)}>{common.cancel}</Button>}>
          {t.submit}
        </FormButtons>
      </Form>
    </Dialog>
  )
}

function bodyOf(way: Way, answer: string) {
  if (way === 'password') return { currentPassword: answer }
  return way === 'app' ? { code: answer.replace(/\s/g, '') } : { recoveryCode: answer.trim() }
}
