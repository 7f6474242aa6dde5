import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Radio, TextField } from '../../ui/Field.tsx'
import { FieldGroup, Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'

const [DAYS_MIN, DAYS_MAX] = [30, 3650]
const DAYS_OFFERED = 365

/** `days` is null where records are kept forever. */
export function RetentionDialog({ days, onClose }: { days: number | null; onClose: () => void }) {
  const t = useTexts('audit').retention
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  const form = useForm({
    initial: { isLimited: days !== null, number: String(days ?? DAYS_OFFERED) },
    check: ({ isLimited, number }) => ({ number: isLimited && !isAllowed(number) ? t.wrong : undefined }),
    fieldOf: { validation_failed: 'number' },
    submit: async ({ isLimited, number }) => {
      await scope.audit.settings.update({ retentionDays: isLimited ? Number(number) : null })
      onClose()
      toast(t.saved)
      await refresh()
    },
  })
  const { isLimited, number } = form.values
  const isShorter = isLimited && isAllowed(number) && (days === null || Number(number) < days)
  return (
    <Dialog open onClose={onClose} title={t.title} intro={t.intro}>
      <Form form={form}>
        <FieldGroup legend={t.keep}>
          <Radio name="keep" label={t.always} checked={!isLimited} onChange={() => form.set({ isLimited: false })} />
          <Radio name="keep" label={t.limited} checked={isLimited} onChange={() => form.set({ isLimited: true })} />
          {isLimited && (
            <TextField label={t.number} hint={t.numberHint} inputMode="numeric" {...form.field('number')} />
          )}
        </FieldGroup>
        {isShorter && <Alert tone="warning">{t.warning({ days: Number(number) })}</Alert>}
        <SendButtons form={form} variant={isShorter ? 'danger' : 'primary'} onCancel={onClose}>
          {t.submit}
        </SendButtons>
      </Form>
    </Dialog>
  )
}

const isAllowed = (text: string) => /^\d{1,4}$/.test(text) && Number(text) >= DAYS_MIN && Number(text) <= DAYS_MAX
