import type { Member } from '@tenantry/client'
import { useState } from 'react'
import { useCompany, useRefreshCompany } from '../api/use-company.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Alert } from './Alert.tsx'
import { Dialog } from './Dialog.tsx'
import { Form } from './Form.tsx'
import { MemberPicker } from './MemberPicker.tsx'
import { SendButtons } from './SendButtons.tsx'
import { toast } from './toasts.ts'
import { useForm } from './use-form.ts'

interface ChooseMemberProps {
  title: string
  intro: string
  action: string
  /** Why this member needs it no more. */
  reasonAgainst: (member: Member) => string | undefined
  /** What the member gets, beside what it has. */
  changeOf: (member: Member) => { roleIds: string[] } | { branchIds: string[] }
  done: (name: string) => string
  onClose: () => void
}

/** Gives one member something more: a role, a branch. */
export function ChooseMember({ title, intro, action, reasonAgainst, changeOf, done, onClose }: ChooseMemberProps) {
  const common = useTexts('common')
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  const [member, setMember] = useState<Member>()
  const form = useForm({
    initial: { id: '' },
    check: ({ id }) => ({ id: id ? undefined : common.chooseMember.missing }),
    submit: async ({ id }) => {
      // As it is now: the list may be older.
      const current = await scope.members.get(id)
      await scope.members.update(current, changeOf(current))
      onClose()
      toast(done(current.name))
      await refresh()
    },
  })
  return (
    <Dialog open onClose={onClose} title={title} intro={intro}>
      <Form form={form}>
        <MemberPicker
          label={common.chooseMember.member}
          value={member}
          reasonAgainst={reasonAgainst}
          onChange={(chosen) => {
            setMember(chosen)
            form.set({ id: chosen.id })
          }}
        />
        {form.errors.id && <Alert tone="danger">{form.errors.id}</Alert>}
        <SendButtons form={form} onCancel={onClose}>
          {action}
        </SendButtons>
      </Form>
    </Dialog>
  )
}
