import { Link } from '@tanstack/react-router'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Can } from '../../ui/Can.tsx'
import { Facts } from '../../ui/Page.tsx'
import type { Intent } from './BranchDialogs.tsx'
import styles from './branches.module.css'
import type { BranchItem } from './tree-rows.ts'
import { pathTo } from './tree-rows.ts'
import type { Tree } from './use-branch-tree.ts'

const LEVELS_MAX = 8

interface Props {
  tree: Tree
  branch: BranchItem
  onIntent: (intent: Intent) => void
  /** A dialog has the name as its title. */
  isTitled: boolean
}

/** What the company knows about one branch, and what the person may do with it. */
export function BranchPanel({ tree, branch, onIntent, isTitled }: Props) {
  const t = useTexts('branches')
  const count = useMemberCount(branch)
  const path = pathTo(tree.known, branch).map(({ name }) => name)
  return (
    <div className={styles.panel}>
      <div className={styles.panelHead}>
        {path.length > 0 && <p className={styles.path}>{path.join(' › ')}</p>}
        <div className={styles.titleLine}>
          {isTitled && <h2>{branch.name}</h2>}
          <Badge tone={branch.status === 'active' ? 'success' : 'neutral'}>
            {branch.status === 'active' ? t.active : t.inactive}
          </Badge>
        </div>
      </div>
      <BranchFacts branch={branch} memberCount={count} onIntent={onIntent} />
      <Actions branch={branch} memberCount={count} onIntent={onIntent} />
    </div>
  )
}

/** Undefined: not known, or not for this person to know. */
function useMemberCount({ id }: BranchItem): number | undefined {
  const { can } = useCompany()
  const { data, isPlaceholderData } = useCompanyQuery(
    ['branch-members', id],
    (scope, options) => scope.members.page({ branchId: id, limit: 1 }, options),
    { enabled: can('users:read') },
  )
  return isPlaceholderData ? undefined : data?.total
}

function BranchFacts({ branch, memberCount, onIntent }: ActionProps) {
  const t = useTexts('branches').panel
  const { can, path } = useCompany()
  const format = useFormat()
  const members =
    memberCount === undefined ? (
      '…'
    ) : memberCount > 0 ? (
      <Link to={path('members')} search={{ branchId: branch.id }}>
        {t.members({ count: memberCount })}
      </Link>
    ) : (
      t.members({ count: memberCount })
    )
  const facts: [string, React.ReactNode][] = [
    [
      t.viewMembers,
      can('users:read') && (
        <span key="members" className={styles.members}>
          {members}
          {branch.status === 'active' && <AddMembers branch={branch} onIntent={onIntent} />}
        </span>
      ),
    ],
    [t.code, branch.code],
    [t.address, branch.address],
    [t.phone, branch.phone && <a href={`tel:${branch.phone.replace(/[^\d+]/g, '')}`}>{branch.phone}</a>],
    [t.timezone, branch.timezone],
    [t.below, branch.childCount > 0 && format.number(branch.childCount)],
    [t.added, format.day(branch.created_at)],
  ]
  return <Facts facts={facts.filter(([, value]) => value)} />
}

function AddMembers({ branch, onIntent }: Pick<ActionProps, 'branch' | 'onIntent'>) {
  const t = useTexts('branches').member
  const { path } = useCompany()
  return (
    <>
      <Can permission="users:update">
        <Button size="small" onClick={() => onIntent({ kind: 'member', branch })}>
          {t.choose}
        </Button>
      </Can>
      <Can permission="users:create">
        <ButtonLink size="small" to={path('members')} search={{ add: '1', branchId: branch.id }}>
          {t.add}
        </ButtonLink>
      </Can>
    </>
  )
}

interface ActionProps {
  branch: BranchItem
  memberCount: number | undefined
  onIntent: (intent: Intent) => void
}

function Actions({ branch, memberCount = 0, onIntent }: ActionProps) {
  const t = useTexts('branches').panel
  const isActive = branch.status === 'active'
  const notBelow = !isActive ? t.closed : branch.depth >= LEVELS_MAX ? t.deepest : undefined
  const notGone = branch.childCount > 0 ? t.hasBelow : memberCount > 0 ? t.hasMembers : undefined
  const { can } = useCompany()
  const reasons = [can('branches:create') && notBelow, can('branches:delete') && notGone].filter(Boolean)
  return (
    <div className={styles.panelFoot}>
      <div className={styles.panelButtons}>
        <Can permission="branches:update">
          <Button onClick={() => onIntent({ kind: 'edit', branch })}>{t.edit}</Button>
          <Button onClick={() => onIntent({ kind: 'move', branch })}>{t.move}</Button>
        </Can>
        <Can permission="branches:create">
          <Button unavailable={Boolean(notBelow)} onClick={() => onIntent({ kind: 'add', parent: branch })}>
            {t.addBelow}
          </Button>
        </Can>
        <Can permission="branches:update">
          <Button onClick={() => onIntent({ kind: 'status', branch })}>{isActive ? t.deactivate : t.activate}</Button>
        </Can>
        <Can permission="branches:delete">
          <Button unavailable={Boolean(notGone)} onClick={() => onIntent({ kind: 'delete', branch })}>
            {t.delete}
          </Button>
        </Can>
      </div>
      {reasons.map((reason) => (
        <p key={String(reason)} className={styles.reason}>
          {reason}
        </p>
      ))}
    </div>
  )
}
