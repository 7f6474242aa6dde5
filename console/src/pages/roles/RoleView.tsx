import type { Role } from '@tenantry/client'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Card } from '../../ui/Page.tsx'
import { type PermissionGroup, useLacking } from './catalogue.ts'
import styles from './roles.module.css'

/** A role that the person can only look at, and why. */
export function RoleView({ role, groups }: { role: Role; groups: PermissionGroup[] }) {
  const t = useTexts('roles')
  const count = { chosen: role.permissions.length, total: groups.flatMap(({ entries }) => entries).length }
  return (
    <>
      <Alert>
        <p>{useReason(role)}</p>
      </Alert>
      <Card
        title={t.fields.permissions}
        intro={t.fields.chosen({ count: count.chosen, total: Math.max(count.total, count.chosen) })}
      >
        {groups.map((group) => (
          <section key={group.name} className={styles.group}>
            <h3 className={styles.legend}>{group.name}</h3>
            <ul className={styles.permissions}>
              {group.entries.map(({ name, description }) => (
                <Item key={name} label={description} isIncluded={role.permissions.includes(name)} />
              ))}
            </ul>
          </section>
        ))}
      </Card>
    </>
  )
}

function useReason(role: Role): string {
  const t = useTexts('roles').readOnly
  const { can } = useCompany()
  const lacking = useLacking()
  if (role.isSystem) return can('roles:create') ? t.system : t.systemPlain
  if (!can('roles:update') || lacking(role.permissions).length === 0) return t.notAllowed
  return t.above
}

function Item({ label, isIncluded }: { label: string; isIncluded: boolean }) {
  const t = useTexts('roles').fields
  return (
    <li className={styles.item} data-included={isIncluded}>
      <Icon name={isIncluded ? 'check' : 'close'} />
      <span>{label}</span>
      <span className="unseen">({isIncluded ? t.included : t.notIncluded})</span>
    </li>
  )
}
