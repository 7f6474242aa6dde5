import { type ReactNode, useState } from 'react'
import { useSignedIn } from '../../api/tenantry.ts'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Page.tsx'
import { AssignDialog, useTargets } from './AssignDialog.tsx'
import type { CardProps } from './cards.tsx'
import { Explain } from './Explain.tsx'
import styles from './members.module.css'
import { DeactivateMember, LeaveCompany, RemoveMember } from './partings.tsx'
import type { CurrentMember } from './queries.ts'

type Deed = 'assign' | 'deactivate' | 'explain' | 'leave' | 'remove'

/** What can be done with the membership, for people who may. */
export function MembershipCard({ canRemove, ...card }: CardProps & { canRemove: boolean }) {
  const t = useTexts('members')
  const [open, setOpen] = useState<Deed>()
  const deeds = useDeeds(card, canRemove)
  const words = { ...t, deactivate: { action: t.status.deactivate, hint: t.status.deactivateHint } }
  if (deeds.length === 0) return null
  return (
    <Card title={t.detail.membership}>
      <div className={styles.deeds}>
        {deeds.map((deed) => (
          <Offer key={deed} hint={words[deed].hint}>
            <Button onClick={() => setOpen(deed)}>{words[deed].action}</Button>
          </Offer>
        ))}
      </div>
      {open && <DeedDialog deed={open} member={card.member} onClose={() => setOpen(undefined)} />}
    </Card>
  )
}

function useDeeds({ member, canEdit }: CardProps, canRemove: boolean): Deed[] {
  const { can } = useCompany()
  const isSelf = useSignedIn().account.id === member.id
  const hasTargets = useTargets().length > 0
  const deeds: [deed: Deed, isPossible: boolean][] = [
    ['explain', can('permissions:read')],
    ['assign', hasTargets && !isSelf],
    ['deactivate', canEdit && !isSelf && member.status === 'active'],
    ['remove', canRemove && !isSelf],
    ['leave', isSelf],
  ]
  return deeds.filter(([, isPossible]) => isPossible).map(([deed]) => deed)
}

function DeedDialog({ deed, ...dialog }: { deed: Deed; member: CurrentMember; onClose: () => void }) {
  if (deed === 'explain') return <Explain {...dialog} />
  if (deed === 'assign') return <AssignDialog {...dialog} />
  if (deed === 'deactivate') return <DeactivateMember {...dialog} />
  return deed === 'remove' ? <RemoveMember {...dialog} /> : <LeaveCompany onClose={dialog.onClose} />
}

const Offer = ({ hint, children }: { hint: string; children: ReactNode }) => (
  <div className={styles.deed}>
    <p>{hint}</p>
    {children}
  </div>
)
