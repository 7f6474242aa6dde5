import type { Factor } from '../../api/factors.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './account.module.css'

interface FactorListProps {
  factors: readonly Factor[]
  /** Of the text that says why none can be removed. */
  keptBecause: string | undefined
  onRename: (factor: Factor) => void
  onRemove: (factor: Factor) => void
}

export function FactorList({ factors, keptBecause, onRename, onRemove }: FactorListProps) {
  const t = useTexts('account').factors
  return (
    <ul className={styles.sessions} aria-label={t.title}>
      {factors.map((factor) => (
        <li key={factor.id} className={styles.session}>
          <Icon name={factor.kind === 'passkey' ? 'key' : 'device'} size={22} />
          <Facts factor={factor} />
          <div className={styles.actions}>
            <Button size="small" aria-label={t.renameNamed({ name: factor.name })} onClick={() => onRename(factor)}>
              {t.rename}
            </Button>
            <Button
              size="small"
              aria-label={t.removeNamed({ name: factor.name })}
              unavailable={keptBecause !== undefined}
              aria-describedby={keptBecause}
              onClick={() => onRemove(factor)}
            >
              {t.remove}
            </Button>
          </div>
        </li>
      ))}
    </ul>
  )
}

function Facts({ factor: { name, kind, synced, copied_at, last_used_at, created_at } }: { factor: Factor }) {
  const t = useTexts('account').factors
  const { ago, day, moment } = useFormat()
  return (
    <div className={styles.what}>
      <p className={styles.device}>
        {name}
        <Badge>{kind === 'passkey' ? t.passkey : t.totp}</Badge>
        {synced && <Badge tone="accent">{t.synced}</Badge>}
      </p>
      <dl className={styles.facts}>
        <div>
          <dt>{t.used}</dt>
          <dd title={last_used_at ? moment(last_used_at) : undefined}>{last_used_at ? ago(last_used_at) : t.never}</dd>
        </div>
        <div>
          <dt>{t.added}</dt>
          <dd title={moment(created_at)}>{day(created_at)}</dd>
        </div>
      </dl>
      {copied_at && <p className={styles.warning}>{t.copied({ day: day(copied_at) })}</p>}
    </div>
  )
}
