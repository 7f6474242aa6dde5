import type { ReactNode } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { DiffDialog, type Difference } from '../../ui/DiffDialog.tsx'
import { Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { type FormOptions, type Form as FormState, useForm } from '../../ui/use-form.ts'
import type { CurrentMember } from './queries.ts'
import { type Changes, useEdit } from './use-edit.ts'

interface EditDialogProps<Values extends object> {
  title: string
  intro?: ReactNode
  wide?: boolean
  member: CurrentMember
  initial: Values
  check?: NonNullable<FormOptions<Values>['check']>
  /** Only what is other than before. */
  changesOf: (values: Values) => Changes
  compare: (latest: CurrentMember, changes: Changes) => Difference[]
  onClose: () => void
  children: (form: FormState<Values>) => ReactNode
}

/** One part of a member in a dialog; another version that was saved meanwhile is shown beside the changes. */
export function EditDialog<Values extends object>({ title, intro, wide, ...props }: EditDialogProps<Values>) {
  const common = useTexts('common')
  const { member, compare, onClose, initial, check, changesOf } = props
  const edit = useEdit({ member, compare, onClose })
  const form = useForm({ initial, ...(check && { check }), submit: (values) => edit.save(changesOf(values)) })
  if (edit.conflict) {
    const { differences } = edit.conflict
    return (
      <DiffDialog
        open
        busy={form.busy}
        differences={differences}
        onKeepTheirs={edit.keepTheirs}
        onKeepYours={() => void form.onSubmit()}
      />
    )
  }
  return (
    <Dialog open {...(wide && { wide })} onClose={onClose} title={title} intro={intro}>
      <Form form={form}>
        {props.children(form)}
        <SendButtons form={form} onCancel={onClose} unavailable={!form.isChanged}>
          {common.saveChanges}
        </SendButtons>
      </Form>
    </Dialog>
  )
}
