import { useState } from 'react'
import { isProblem } from '../../api/problems.ts'
import { tenantry } from '../../api/tenantry.ts'
import { linkTokens } from '../../link-token.ts'
import { AuthFrame } from '../../shell/AuthFrame.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { useForm } from '../../ui/use-form.ts'
import { isDead, useLink } from './use-link.ts'

const { email } = tenantry.account

export function UndoEmailChangePage() {
  const t = useTexts('links')
  const link = useLink(linkTokens.undoEmailChange, email.checkUndo)
  const [outcome, setOutcome] = useState<'restored' | 'taken'>()
  const form = useForm({
    initial: {},
    submit: async () => {
      try {
        await email.undoChange({ token: link.token })
        setOutcome('restored')
      } catch (error) {
        if (isDead(error)) link.die()
        else if (isProblem(error) && error.code === 'email_taken') setOutcome('taken')
        else throw error
      }
    },
  })
  const end = outcome
    ? t.restoreAddress[outcome]
    : link.state === 'missing'
      ? t.linkMissing
      : link.state === 'dead'
        ? t.restoreAddress.linkInvalid
        : undefined
  if (end) return <AuthFrame title={end.heading} intro={end.message} />
  return (
    <AuthFrame title={t.restoreAddress.heading} intro={t.restoreAddress.intro}>
      {link.state === 'checking' ? (
        <Skeleton lines={1} />
      ) : (
        <Form form={form}>
          <FormButtons form={form} wide>
            {t.restoreAddress.submit}
          </FormButtons>
        </Form>
      )}
    </AuthFrame>
  )
}
