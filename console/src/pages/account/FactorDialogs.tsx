import type { Factor } from '../../api/factors.ts'
import { showRecoveryCodes } from '../../api/recovery-codes.ts'
import { tenantry } from '../../api/tenantry.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ConfirmDialog, Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import { NAME_LENGTH_MAX } from './NameForm.tsx'

const { factors } = tenantry.account

interface OfFactor {
  factor: Factor
  onClose: () => void
  onDone: () => Promise<unknown>
}

export function RenameDialog({ factor, onClose, onDone }: OfFactor) {
  const t = useTexts('account').factors
  const common = useTexts('common')
  const form = useForm({
    initial: { name: factor.name },
    check: ({ name }) => ({ name: name.trim() ? undefined : t.nameMissing }),
    submit: async ({ name }) => {
      await factors.rename(factor.id, { name: name.trim() })
      toast(t.renamed)
      await onDone()
      onClose()
    },
  })
  return (
    <Dialog open onClose={onClose} title={t.renameTitle({ name: factor.name })}>
      <Form form={form}>
        <TextField
          label={t.name}
          hint={t.nameHint}
          {...form.field('name')}
          maxLength={NAME_LENGTH_MAX}
          onFocus={({ target }) => target.select()}
          autoComplete="off"
          autoFocus
        />
        <SendButtons form={form} onCancel={onClose}>
          {common.save}
        </SendButtons>
      </Form>
    </Dialog>
  )
}

export function RemoveDialog({ factor, isLast, onClose, onDone }: OfFactor & { isLast: boolean }) {
  const t = useTexts('account').factors
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t.removeTitle({ name: factor.name })}
      intro={isLast ? t.removeLast : factor.kind === 'passkey' ? t.removePasskey : t.removeApp}
      action={t.removeAction}
      onConfirm={async () => {
        await factors.remove(factor.id)
        toast(t.removed)
        await onDone()
      }}
    />
  )
}

export function NewCodesDialog({ onClose, onDone }: Omit<OfFactor, 'factor'>) {
  const t = useTexts('account').factors
  return (
    <ConfirmDialog
      open
      variant="primary"
      onClose={onClose}
      title={t.newCodes}
      intro={t.newCodesIntro}
      action={t.newCodes}
      onConfirm={async () => {
        showRecoveryCodes((await factors.createRecoveryCodes()).recoveryCodes)
        await onDone()
      }}
    />
  )
}
