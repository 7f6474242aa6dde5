import type { AccountSession } from '@tenantry/client'
import { useDeviceName } from '../../api/use-device-name.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './account.module.css'

interface SessionListProps {
  sessions: readonly AccountSession[]
  onEnd: (session: AccountSession) => void
}

export function SessionList({ sessions, onEnd }: SessionListProps) {
  const t = useTexts('account').sessions
  const deviceName = useDeviceName()
  return (
    <ul className={styles.sessions} aria-label={t.list}>
      {sessions.map((session) => (
        <li key={session.id} className={styles.session}>
          <Icon name="device" size={22} />
          <Facts session={session} />
          {!session.current && (
            <Button
              aria-label={t.endNamed({ device: deviceName(session.user_agent), address: session.ip })}
              onClick={() => onEnd(session)}
            >
              {t.end}
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

function Facts({ session }: { session: AccountSession }) {
  const t = useTexts('account').sessions
  const { ago, moment } = useFormat()
  const deviceName = useDeviceName()
  const { user_agent, ip, current, last_used_at, created_at } = session
  return (
    <div className={styles.what}>
      <p className={styles.device} title={user_agent}>
        {deviceName(user_agent)}
        {current && <Badge tone="success">{t.current}</Badge>}
      </p>
      <dl className={styles.facts}>
        <div>
          <dt>{t.lastUsed}</dt>
          <dd title={moment(last_used_at)}>{current ? t.now : ago(last_used_at)}</dd>
        </div>
        <div>
          <dt>{t.address}</dt>
          <dd>{ip}</dd>
        </div>
        <div>
          <dt>{t.signedIn}</dt>
          <dd title={moment(created_at)}>{ago(created_at)}</dd>
        </div>
      </dl>
    </div>
  )
}
