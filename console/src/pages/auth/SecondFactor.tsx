import { useState } from 'react'
import { tenantry } from '../../api/tenantry.ts'
import { AuthFrame } from '../../shell/AuthFrame.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { useForm } from '../../ui/use-form.ts'

type SignedIn = Awaited<ReturnType<typeof tenantry.confirmSignIn>>

interface SecondFactorProps {
  /** Of a sign-in whose password was right. */
  challenge: { token: string; methods: readonly string[] }
  onSignedIn: (state: SignedIn) => Promise<unknown>
  onBack: () => void
}

/** The second half of a sign-in: a code of the authenticator app, or one of the recovery codes. */
export function SecondFactor({ challenge: { token, methods }, onSignedIn, onBack }: SecondFactorProps) {
  const { secondFactor: t } = useTexts('auth')
  const hasApp = methods.includes('totp')
  const [isRecovery, setRecovery] = useState(!hasApp)
  const texts = isRecovery ? t.recovery : t.app
  const form = useForm({
    initial: { code: '' },
    check: ({ code }) => ({ code: code.trim() ? undefined : texts.missing }),
    fieldOf: { second_factor_wrong: 'code', validation_failed: 'code' },
    submit: async ({ code }) => {
      const answer = isRecovery ? { recoveryCode: code.trim() } : { code: code.replace(/\s/g, '') }
      await onSignedIn(await tenantry.confirmSignIn({ challenge: token, ...answer }))
    },
  })
  const change = () => {
    form.reset({ code: '' })
    setRecovery(!isRecovery)
  }
  return (
    <AuthFrame
      title={t.title}
      intro={texts.intro}
      foot={
        <Button variant="quiet" onClick={onBack}>
          {t.back}
        </Button>
      }
    >
      <Form form={form}>
        <TextField
          key={String(isRecovery)}
          label={texts.label}
          {...form.field('code')}
          autoComplete={isRecovery ? 'off' : 'one-time-code'}
          inputMode={isRecovery ? 'text' : 'numeric'}
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
        />
        <FormButtons form={form} wide>
          {t.submit}
        </FormButtons>
        {hasApp && methods.includes('recovery_code') && (
          <Button variant="quiet" wide onClick={change}>
            {texts.other}
          </Button>
        )}
      </Form>
    </AuthFrame>
  )
}
