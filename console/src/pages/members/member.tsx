import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useSignedIn } from '../../api/tenantry.ts'
import { useCompany } from '../../api/use-company.ts'
import { useSayProblem } from '../../api/use-say-problem.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { PageFor } from '../../ui/Can.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { toast } from '../../ui/toasts.ts'
import { BranchesCard, type CardProps, ContactCard, RolesCard } from './cards.tsx'
import { MembershipCard } from './MembershipCard.tsx'
import styles from './members.module.css'
import { useChangeStatus } from './partings.tsx'
import { type CurrentMember, useCanChange, useMember } from './queries.ts'
import { SignInCard } from './SignInCard.tsx'
import { StatusBadge } from './StatusBadge.tsx'

export function MemberPage() {
  const { memberId } = useParams({ from: '/signed-in/c/$companyId/members/$memberId' })
  return (
    <PageFor permission="users:read">
      <Loading key={memberId} memberId={memberId} />
    </PageFor>
  )
}

function Loading({ memberId }: { memberId: string }) {
  const t = useTexts('members')
  const { path } = useCompany()
  const { data: member, error, refetch } = useMember(memberId)
  const parent = { to: path('members'), label: t.title }
  if (member) return <OneMember member={member} parent={parent} />
  return (
    <Page title={t.title} parent={parent}>
      {error && <ErrorState problem={error} onRetry={() => void refetch()} />}
      {!error && member === undefined && <Skeleton lines={9} />}
      {member === null && <Missing />}
    </Page>
  )
}

function Missing() {
  const { detail: t } = useTexts('members')
  const { path } = useCompany()
  const back = <ButtonLink to={path('members')}>{t.back}</ButtonLink>
  return <EmptyState boxed icon="members" title={t.missing} message={t.missingMessage} action={back} />
}

function OneMember({ member, parent }: { member: CurrentMember; parent: { to: string; label: string } }) {
  const { detail: t } = useTexts('members')
  const { can } = useCompany()
  const { canChange, isCostly } = useCanChange(member)
  const canEdit = canChange === true && can('users:update')
  const { name } = member
  return (
    <Page title={name} parent={parent} intro={<Intro member={member} />}>
      {canChange === false && (can('users:update') || can('users:delete')) && <Alert>{t.stronger({ name })}</Alert>}
      {member.status === 'inactive' && <Inactive {...{ member, canEdit }} />}
      <div className={styles.columns}>
        <div className={styles.column}>
          <RolesCard {...{ member, canEdit }} />
          <BranchesCard {...{ member, canEdit }} isDeferred={isCostly} />
          <ContactCard {...{ member, canEdit }} />
        </div>
        <div className={styles.column}>
          <SignInCard {...{ member, canEdit }} />
          <MembershipCard {...{ member, canEdit }} canRemove={canChange === true && can('users:delete')} />
        </div>
      </div>
    </Page>
  )
}

function Inactive({ member, canEdit }: CardProps) {
  const t = useTexts('members')
  const { say } = useSayProblem()
  const change = useChangeStatus(member)
  const [busy, setBusy] = useState(false)
  const activate = async () => {
    setBusy(true)
    await change('active').catch((error: unknown) => toast(say(error)))
    setBusy(false)
  }
  return (
    <Alert tone="warning" title={t.detail.inactiveTitle}>
      <p>{t.detail.inactiveMessage({ name: member.name })}</p>
      {canEdit && (
        <Button busy={busy} onClick={() => void activate()}>
          {t.status.activate}
        </Button>
      )}
    </Alert>
  )
}

function Intro({ member: { id, email, status } }: { member: CurrentMember }) {
  const t = useTexts('members')
  const isSelf = useSignedIn().account.id === id
  return (
    <span className={styles.who}>
      {email}
      <StatusBadge status={status} />
      {isSelf && <Badge>{t.you}</Badge>}
    </span>
  )
}
