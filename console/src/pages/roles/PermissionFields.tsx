import type { PermissionName } from '@tenantry/client'
import { useId } from 'react'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Field.tsx'
import { Card } from '../../ui/Page.tsx'
import type { PermissionGroup } from './catalogue.ts'
import styles from './roles.module.css'

interface Props {
  groups: PermissionGroup[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

/** The catalogue as checkboxes. Nobody gives what they do not have. */
export function PermissionFields({ groups, chosen, onChange }: Props) {
  const t = useTexts('roles').fields
  const total = groups.flatMap(({ entries }) => entries).length
  return (
    <Card
      title={t.permissions}
      intro={
        <>
          {t.permissionsIntro} {t.chosen({ count: chosen.length, total })}
        </>
      }
    >
      {groups.map((group) => (
        <Group key={group.name} group={group} chosen={chosen} onChange={onChange} />
      ))}
    </Card>
  )
}

function Group({ group: { name, entries }, chosen, onChange }: Omit<Props, 'groups'> & { group: PermissionGroup }) {
  const t = useTexts('roles').fields
  const { can } = useCompany()
  const legend = useId()
  const givable = entries.map((entry) => entry.name).filter((entry) => can(entry as PermissionName))
  const isWhole = givable.every((each) => chosen.includes(each))
  const without = (names: readonly string[]) => chosen.filter((each) => !names.includes(each))
  const hintOf = (permission: string) => {
    if (!givable.includes(permission)) return t.notYours
    return isNeeded(permission, chosen) ? t.needed : undefined
  }
  return (
    // A fieldset's legend can't stand in one line with a button.
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div role="group" aria-labelledby={legend} className={styles.group}>
      <div className={styles.groupHead}>
        <h3 id={legend} className={styles.legend}>
          {name}
        </h3>
        {givable.length > 1 && (
          <Button
            variant="quiet"
            size="small"
            aria-label={isWhole ? t.clearOf({ group: name }) : t.selectAllOf({ group: name })}
            onClick={() => onChange(isWhole ? without(givable) : [...without(givable), ...givable])}
          >
            {isWhole ? t.clear : t.selectAll}
          </Button>
        )}
      </div>
      <div className={styles.permissions}>
        {entries.map((entry) => (
          <Checkbox
            key={entry.name}
            label={entry.description}
            hint={hintOf(entry.name)}
            disabled={!givable.includes(entry.name)}
            checked={chosen.includes(entry.name)}
            onChange={(checked) => onChange(checked ? [...chosen, entry.name] : without([entry.name]))}
          />
        ))}
      </div>
    </div>
  )
}

/** Whether people could do something by what is chosen that only a page offers which they can't open. */
function isNeeded(permission: string, chosen: readonly string[]): boolean {
  const [resource, action] = permission.split(':')
  return action === 'read' && !chosen.includes(permission) && chosen.some((each) => each.startsWith(`${resource}:`))
}
