import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { CompanySummary } from '@tenantry/client'
import { ofAccount } from '../../api/queries.ts'
import { useCompany } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import styles from './settings.module.css'

const RESTORABLE_MS = 30 * 24 * 60 * 60 * 1000

/** Typing the name takes a moment in which one reads which company it is. */
export function DeleteDialog({ company, onClose }: { company: CompanySummary; onClose: () => void }) {
  const t = useTexts('settings').danger
  const { day } = useFormat()
  const { scope } = useCompany()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { name } = company
  const form = useForm({
    initial: { typed: '' },
    check: ({ typed }) => ({ typed: typed.trim() === name.trim() ? undefined : t.mismatch }),
    submit: async () => {
      await scope.delete()
      toast(t.removed({ company: name }))
      await navigate({ to: '/companies/deleted', replace: true })
      await client.invalidateQueries({ queryKey: ofAccount('deleted-companies') })
    },
  })
  const until = day(new Date(Date.now() + RESTORABLE_MS).toISOString())
  return (
    <Dialog open onClose={onClose} title={t.removeTitle({ company: name })}>
      <ul className={styles.steps}>
        <li>{t.now}</li>
        <li>{t.within({ day: until })}</li>
        <li>{t.after}</li>
      </ul>
      <Form form={form}>
        <TextField
          label={t.typeName({ company: name })}
          {...form.field('typed')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <SendButtons form={form} variant="danger" onCancel={onClose}>
          {t.removeAction}
        </SendButtons>
      </Form>
    </Dialog>
  )
}
