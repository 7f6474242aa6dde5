import { Link } from '@tanstack/react-router'
import type { NonCompliantMember } from '@tenantry/client'
import { useState } from 'react'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Identity } from '../../ui/Avatar.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Pagination } from '../../ui/Lists.tsx'
import { Card } from '../../ui/Page.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import styles from './policy.module.css'
import { useLackText } from './use-lack-text.ts'

const LIMIT = 20

export function Compliance() {
  const { compliance: t } = useTexts('policy')
  const [page, setPage] = useState(1)
  const { data, error, refetch } = useCompanyQuery(['compliance', page], (scope, options) =>
    scope.policy.compliance.page({ page, limit: LIMIT, sortBy: 'name', sortDir: 'asc' }, options),
  )
  return (
    <Card title={t.title} intro={t.intro}>
      {error && !data ? (
        <ErrorState problem={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={2} />
      ) : data.total === 0 ? (
        <p className={styles.quiet}>{t.all}</p>
      ) : (
        <>
          <Members members={data.items} />
          <Pagination page={page} limit={LIMIT} total={data.total} onPage={setPage} />
        </>
      )}
    </Card>
  )
}

function Members({ members }: { members: NonCompliantMember[] }) {
  const { compliance: t } = useTexts('policy')
  return (
    <ul className={styles.members} aria-label={t.title}>
      {members.map((member) => (
        <Item key={member.id} member={member} />
      ))}
    </ul>
  )
}

/** What the member lacks; and, where that is not all, what keeps the member out. */
function Item({
  member: { id, name, email, lacks: missing, closedBy, last_active_at },
}: {
  member: NonCompliantMember
}) {
  const { compliance: t, closed } = useTexts('policy')
  const lackText = useLackText()
  const { path } = useCompany()
  return (
    <li className={styles.person}>
      <Identity name={name} detail={email}>
        <Link to={path(`members/${id}`)}>{name}</Link>
      </Identity>
      <span className={styles.badges}>
        {missing.map((each) => (
          <Badge key={each} tone="warning">
            {t.lacks({ what: lackText(each) })}
          </Badge>
        ))}
        {closedBy ? (
          <Badge tone="danger">{closed[closedBy]}</Badge>
        ) : (
          <Badge>{last_active_at ? t.open : t.never}</Badge>
        )}
      </span>
    </li>
  )
}
