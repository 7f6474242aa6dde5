import { useNavigate } from '@tanstack/react-router'
import type { Tenantry } from '@tenantry/client'
import { useTexts } from '../../texts/use-texts.ts'
import { toast } from '../../ui/toasts.ts'

type Joined = Awaited<ReturnType<Tenantry['invitation']['accept']>>

/** Where a new member goes. Who was in the company before, and is inactive there, can't. */
export function useEnter(): (joined: Joined) => Promise<{ how: 'inactive'; company: string } | undefined> {
  const t = useTexts('invitation')
  const navigate = useNavigate()
  return async ({ company, status }) => {
    if (status === 'inactive') return { how: 'inactive', company: company.name }
    toast(t.joined({ company: company.name }))
    await navigate({ to: '/c/$companyId', params: { companyId: company.id }, replace: true })
    return undefined
  }
}
