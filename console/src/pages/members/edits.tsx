import { useRoleLabel } from '../../api/built-in-roles.ts'
import { useSignedIn } from '../../api/tenantry.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import type { Difference } from '../../ui/DiffDialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { EditDialog } from './EditDialog.tsx'
import { BranchPicker, pathOf, RolePicker } from './Picker.tsx'
import { type CurrentMember, useBranches, useRoles } from './queries.ts'

interface EditProps {
  member: CurrentMember
  onClose: () => void
}

type Contact = Pick<CurrentMember, 'phone' | 'position'>
const contactFields = ['phone', 'position'] as const

export function EditContact({ member, onClose }: EditProps) {
  const t = useTexts('members')
  const changesOf = (values: Contact): Partial<Contact> =>
    Object.fromEntries(
      contactFields.filter((name) => values[name] !== member[name]).map((name) => [name, values[name]]),
    )
  const compare = (latest: Contact, changes: Partial<Contact>): Difference[] =>
    contactFields.flatMap((name) => {
      const yours = changes[name]
      return yours === undefined || latest[name] === yours
        ? []
        : [{ label: t.fields[name], theirs: latest[name], yours }]
    })
  const initial: Contact = { phone: member.phone, position: member.position }
  return (
    <EditDialog title={t.detail.editContact} {...{ member, initial, changesOf, compare, onClose }}>
      {(form) => (
        <>
          <TextField optional label={t.fields.phone} type="tel" {...form.field('phone')} autoComplete="off" autoFocus />
          <TextField optional label={t.fields.position} {...form.field('position')} autoComplete="off" />
        </>
      )}
    </EditDialog>
  )
}

export function EditRoles({ member, onClose }: EditProps) {
  const t = useTexts('members')
  const { list } = useFormat()
  const all = useRoles(true).data?.items ?? []
  const isSelf = useSignedIn().account.id === member.id
  const roleLabel = useRoleLabel()
  const namesOf = (ids: string[]) => list(all.filter(({ id }) => ids.includes(id)).map(roleLabel))
  return (
    <EditDialog
      {...{ member, onClose }}
      title={t.detail.editRoles}
      intro={t.detail.editRolesIntro({ name: member.name })}
      initial={{ roleIds: member.roleIds }}
      check={({ roleIds }) => ({ roleIds: roleIds.length > 0 ? undefined : t.required.roles })}
      changesOf={({ roleIds }) => (isSame(roleIds, member.roleIds) ? {} : { roleIds })}
      compare={(latest, { roleIds = [] }) =>
        isSame(latest.roleIds, member.roleIds)
          ? []
          : [
              {
                label: t.fields.roles,
                theirs: list(latest.roles.map((name) => roleLabel({ name }))),
                yours: namesOf(roleIds),
              },
            ]
      }
    >
      {({ values, errors, set }) => (
        <>
          {isSelf && <Alert tone="warning">{t.detail.editOwnRoles}</Alert>}
          <RolePicker value={values.roleIds} error={errors.roleIds} onChange={(roleIds) => set({ roleIds })} />
        </>
      )}
    </EditDialog>
  )
}

export function EditBranches({ member, onClose }: EditProps) {
  const t = useTexts('members')
  const { list } = useFormat()
  const all = useBranches(true).data?.items ?? []
  const namesOf = (ids: string[]) => list(all.filter(({ id }) => ids.includes(id)).map((branch) => pathOf(branch, all)))
  return (
    <EditDialog
      {...{ member, onClose }}
      title={t.detail.editBranches}
      initial={{ branchIds: member.branchIds }}
      changesOf={({ branchIds }) => (isSame(branchIds, member.branchIds) ? {} : { branchIds })}
      compare={(latest, { branchIds = [] }) =>
        isSame(latest.branchIds, member.branchIds)
          ? []
          : [{ label: t.fields.branches, theirs: namesOf(latest.branchIds), yours: namesOf(branchIds) }]
      }
    >
      {({ values, set }) => (
        <BranchPicker value={values.branchIds} kept={member.branchIds} onChange={(branchIds) => set({ branchIds })} />
      )}
    </EditDialog>
  )
}

const isSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((each) => others.includes(each))
