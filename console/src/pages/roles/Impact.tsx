import type { components } from '@tenantry/client'
import { useSignedIn } from '../../api/tenantry.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import styles from './roles.module.css'

export type RoleImpact = components['schemas']['RoleImpact']
type PermissionImpact = components['schemas']['PermissionImpact']

const NAMED_MAX = 5

/** Who gains and who loses what: the answer of a dry run. */
export function Impact({ impact, labels }: { impact: RoleImpact; labels: ReadonlyMap<string, string> }) {
  const t = useTexts('roles').impact
  const { account } = useSignedIn()
  const { gaining, losing, joiningCount } = impact
  const losesSelf = losing.some(({ members = [] }) => members.some(({ id }) => id === account.id))
  return (
    <div className={styles.impact}>
      {gaining.length + losing.length === 0 && <p className={styles.quiet}>{t.none}</p>}
      {losesSelf && (
        <Alert tone="warning">
          <p>{t.self}</p>
        </Alert>
      )}
      <Side title={t.loses} kind="loses" impacts={losing} labels={labels} />
      <Side title={t.gains} kind="gains" impacts={gaining} labels={labels} />
      {joiningCount > 0 && <p className={styles.quiet}>{t.joining({ count: joiningCount })}</p>}
    </div>
  )
}

interface SideProps {
  title: string
  kind: 'gains' | 'loses'
  impacts: readonly PermissionImpact[]
  labels: ReadonlyMap<string, string>
}

function Side({ title, kind, impacts, labels }: SideProps) {
  const t = useTexts('roles').impact
  if (impacts.length === 0) return null
  return (
    <section className={styles.side} data-kind={kind}>
      <h3>{title}</h3>
      <dl>
        {alike(impacts).map(({ permissions, memberCount, members }) => (
          <div key={permissions[0]}>
            {permissions.map((permission) => (
              <dt key={permission}>{labels.get(permission) ?? permission}</dt>
            ))}
            <dd>
              <strong>{t.people({ count: memberCount })}</strong>
              <Names members={members} count={memberCount} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** Permissions of the same members together, where all of these are known. */
function alike(impacts: readonly PermissionImpact[]) {
  const groups = Map.groupBy(impacts, ({ permission, memberCount, members = [] }) =>
    members.length === memberCount ? members.map(({ id }) => id).join() : permission,
  )
  return [...groups.values()].map((group) => {
    const { memberCount = 0, members = [] } = group[0] ?? {}
    return { permissions: group.map(({ permission }) => permission), memberCount, members }
  })
}

/** The first few. Without the permission to see members there are only numbers. */
function Names({ members, count }: { members: readonly { id: string; name: string }[]; count: number }) {
  const t = useTexts('roles').impact
  const { account } = useSignedIn()
  if (members.length === 0) return null
  const shown = members.slice(0, NAMED_MAX)
  const names = shown.map(({ id, name }) => (id === account.id ? `${name} (${t.you})` : name)).join(', ')
  const rest = count - shown.length
  return (
    <span>
      {names}
      {rest > 0 && ` ${t.more({ count: rest })}`}
    </span>
  )
}
