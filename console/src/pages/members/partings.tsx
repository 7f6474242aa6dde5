import { useNavigate } from '@tanstack/react-router'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { isConflict } from '../../ui/DiffDialog.tsx'
import { toast } from '../../ui/toasts.ts'
import { type CurrentMember, useReadMemberAgain, useShowMember } from './queries.ts'

interface PartingProps {
  member: CurrentMember
  onClose: () => void
}

/**
 * Sends an edit that has nothing to compare. Where the member was changed meanwhile it is refused once, and the page shows the
 * newest version to decide by.
 */
export function useSend() {
  const readAgain = useReadMemberAgain()
  return async <Result,>(memberId: string, send: () => Promise<Result>): Promise<Result> => {
    try {
      return await send()
    } catch (error) {
      if (isConflict(error)) await readAgain(memberId)
      throw error
    }
  }
}

export function useChangeStatus(member: CurrentMember) {
  const { scope } = useCompany()
  const { status: t } = useTexts('members')
  const show = useShowMember()
  const send = useSend()
  const { id, name } = member
  return async (status: 'active' | 'inactive') => {
    show(id, await send(id, () => scope.members.update(member, { status })))
    toast(status === 'active' ? t.activated({ name }) : t.deactivated({ name }))
  }
}

export function DeactivateMember({ member, onClose }: PartingProps) {
  const { status: t } = useTexts('members')
  const change = useChangeStatus(member)
  const { name } = member
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t.deactivateTitle({ name })}
      intro={t.deactivateIntro({ name })}
      action={t.deactivate}
      onConfirm={() => change('inactive')}
    />
  )
}

export function RemoveMember({ member, onClose }: PartingProps) {
  const { remove: t } = useTexts('members')
  const { scope, summary, path } = useCompany()
  const navigate = useNavigate()
  const refresh = useRefreshCompany()
  const send = useSend()
  const { id, name } = member
  const remove = async () => {
    await send(id, () => scope.members.remove(member))
    // First away from the page of someone who is no longer there.
    await navigate({ to: path('members'), replace: true })
    await refresh()
    toast(t.done({ name }))
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t.title({ name, company: summary?.name ?? '' })}
      intro={t.intro}
      action={t.action}
      onConfirm={remove}
    />
  )
}

export function LeaveCompany({ onClose }: Pick<PartingProps, 'onClose'>) {
  const { leave: t } = useTexts('members')
  const { scope, summary } = useCompany()
  const navigate = useNavigate()
  const company = summary?.name ?? ''
  const leave = async () => {
    await scope.leave()
    await navigate({ to: '/', replace: true })
    toast(t.done({ company }))
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t.title({ company })}
      intro={t.intro}
      action={t.action}
      onConfirm={leave}
    />
  )
}
