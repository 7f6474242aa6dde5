import { useState } from 'react'
import { AuthFrame } from '../../shell/AuthFrame.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { EmailField } from '../../ui/Field.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { useForm } from '../../ui/use-form.ts'
import { isEmail } from './rules.ts'

interface AskForEmailProps {
  title: string
  intro: string
  submit: string
  send: (to: { email: string }) => Promise<unknown>
  /** What is said whether or not there is such an account. */
  asked: (email: string) => { heading: string; message: string; next?: string }
}

export function AskForEmail({ title, intro, submit, send, asked }: AskForEmailProps) {
  const { fields, required } = useTexts('auth')
  const [sentTo, setSentTo] = useState<string>()
  const form = useForm({
    initial: { email: '' },
    check: ({ email }) => ({ email: isEmail(email) ? undefined : required.email }),
    submit: async ({ email }) => {
      await send({ email: email.trim() })
      setSentTo(email.trim())
    },
  })
  if (sentTo !== undefined) {
    const { heading, message, next } = asked(sentTo)
    return (
      <AuthFrame title={heading} intro={message}>
        {next && <Button onClick={() => setSentTo(undefined)}>{next}</Button>}
      </AuthFrame>
    )
  }
  return (
    <AuthFrame title={title} intro={intro}>
      <Form form={form}>
        <EmailField label={fields.email} {...form.field('email')} autoFocus />
        <FormButtons form={form} wide>
          {submit}
        </FormButtons>
      </Form>
    </AuthFrame>
  )
}
