import type { Member } from '@tenantry/client'
import { useTexts } from '../../texts/use-texts.ts'
import { Badge } from '../../ui/Badge.tsx'

export function StatusBadge({ status }: Pick<Member, 'status'>) {
  const t = useTexts('members')
  return <Badge tone={status === 'active' ? 'success' : 'neutral'}>{status === 'active' ? t.active : t.inactive}</Badge>
}
