import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'

/** People paste what they have at hand: an email address, or the address of their site. */
const domainIn = (text: string) =>
  text
    .trim()
    .replace(/^.*@|^\w+:\/\//, '')
    .replace(/\/.*$/, '')

export function AddDialog({ onClose }: { onClose: () => void }) {
  const { add: t } = useTexts('domains')
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  const form = useForm({
    initial: { name: '' },
    check: ({ name }) => ({ name: /^[^\s@/]+\.[^\s@/]+$/.test(domainIn(name)) ? undefined : t.missing }),
    fieldOf: { domain_taken: 'name', domain_is_shared: 'name', validation_failed: 'name' },
    words: { validation_failed: t.missing },
    submit: async ({ name }) => {
      const domain = await scope.domains.add({ name: domainIn(name) })
      onClose()
      toast(t.done({ name: domain.name }))
      await refresh()
    },
  })
  return (
    <Dialog open onClose={onClose} title={t.action} intro={t.intro}>
      <Form form={form}>
        <TextField
          label={t.label}
          inputMode="url"
          {...form.field('name')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
        />
        <SendButtons form={form} onCancel={onClose}>
          {t.action}
        </SendButtons>
      </Form>
    </Dialog>
  )
}
