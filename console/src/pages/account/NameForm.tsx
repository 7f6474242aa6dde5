import { useState } from 'react'
import { isProblem } from '../../api/problems.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { TextField } from '../../ui/Field.tsx'
import { Form } from '../../ui/Form.tsx'
import { SendAnotherCode } from '../../ui/SendAnotherCode.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { useForm } from '../../ui/use-form.ts'

export const NAME_LENGTH_MAX = 60

interface NameFormProps {
  initial?: string
  onClose: () => void
  submit: (body: { name?: string; emailCode?: string }) => Promise<unknown>
}

/** How a new factor is called, and the code from the mailbox where the service asks for one before the first factor. */
export function NameForm({ initial = '', onClose, submit }: NameFormProps) {
  const t = useTexts('account').factors
  const { mailboxCode } = useTexts('common')
  const [asksForCode, setAsksForCode] = useState(false)
  const form = useForm({
    initial: { name: initial, emailCode: '' },
    check: ({ emailCode }) => ({
      emailCode: asksForCode && !emailCode.trim() ? mailboxCode.missing : undefined,
    }),
    words: { second_factor_wrong: mailboxCode.wrong, validation_failed: mailboxCode.wrong },
    fieldOf: { second_factor_wrong: 'emailCode', validation_failed: 'emailCode' },
    submit: async ({ name, emailCode }) => {
      try {
        await submit({ ...named(name), ...(emailCode.trim() && { emailCode: emailCode.trim() }) })
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
        maxLength={NAME_LENGTH_MAX}
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
      <SendButtons form={form} onCancel={onClose}>
        {t.next}
      </SendButtons>
      {asksForCode && <SendAnotherCode call={() => submit(named(form.values.name))} />}
    </Form>
  )
}

const named = (name: string) => (name.trim() ? { name: name.trim() } : {})
