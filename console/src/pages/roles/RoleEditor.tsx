import type { Role, Versioned } from '@tenantry/client'
import { useTexts } from '../../texts/use-texts.ts'
import { ProblemAlert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { DiffDialog } from '../../ui/DiffDialog.tsx'
import { TextArea, TextField } from '../../ui/Field.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { LeaveGuard } from '../../ui/LeaveGuard.tsx'
import { Card } from '../../ui/Page.tsx'
import type { Form as FormState } from '../../ui/use-form.ts'
import { labelsOf, type PermissionGroup } from './catalogue.ts'
import { Impact } from './Impact.tsx'
import { PermissionFields } from './PermissionFields.tsx'
import { differencesBetween, type RoleValues, valuesOf } from './role-values.ts'
import styles from './roles.module.css'
import { useRoleEdit } from './use-role-edit.ts'

export function RoleEditor({ role, groups }: { role: Versioned<Role>; groups: PermissionGroup[] }) {
  const edit = useRoleEdit(role)
  return (
    <>
      <Form form={edit.form}>
        <RoleFields form={edit.form} groups={groups} />
        {edit.isChanged && <SaveBar edit={edit} />}
      </Form>
      <Dialogs edit={edit} labels={labelsOf(groups)} />
      <LeaveGuard isChanged={edit.isChanged} />
    </>
  )
}

export function RoleFields({ form, groups }: { form: FormState<RoleValues>; groups: PermissionGroup[] }) {
  const t = useTexts('roles').fields
  return (
    <>
      <Card title={t.details}>
        <TextField label={t.name} hint={t.nameHint} maxLength={60} autoComplete="off" {...form.field('name')} />
        <TextArea label={t.description} optional rows={2} maxLength={300} {...form.field('description')} />
      </Card>
      <PermissionFields
        groups={groups}
        chosen={form.values.permissions}
        onChange={(permissions) => form.set({ permissions })}
      />
    </>
  )
}

type Edit = ReturnType<typeof useRoleEdit>

/** Stays in sight while there is something to save. */
function SaveBar({ edit }: { edit: Edit }) {
  const t = useTexts('roles').save
  const common = useTexts('common')
  return (
    <div className={styles.saveBar}>
      {edit.resend.problem !== undefined && <ProblemAlert problem={edit.resend.problem} />}
      <p className={styles.quiet}>{edit.willPreview ? t.preview : t.unsaved}</p>
      <FormButtons form={edit.form} beside={<Button onClick={edit.discard}>{t.discard}</Button>}>
        {edit.willPreview ? t.review : common.saveChanges}
      </FormButtons>
    </div>
  )
}

function Dialogs({ edit, labels }: { edit: Edit; labels: ReadonlyMap<string, string> }) {
  const t = useTexts('roles')
  const common = useTexts('common')
  const { review, conflict } = edit
  return (
    <>
      {review && (
        <ConfirmDialog
          open
          wide
          variant="primary"
          title={t.impact.title}
          intro={t.impact.intro({ count: review.impact.memberCount })}
          action={common.saveChanges}
          onClose={edit.closeReview}
          onConfirm={review.confirm}
        >
          <Impact impact={review.impact} labels={labels} />
        </ConfirmDialog>
      )}
      {conflict && (
        <DiffDialog
          open
          differences={differencesBetween(valuesOf(conflict.latest), conflict.yours, t.fields, labels)}
          busy={edit.resend.busy}
          onKeepTheirs={conflict.keepTheirs}
          onKeepYours={conflict.keepYours}
        />
      )}
    </>
  )
}
