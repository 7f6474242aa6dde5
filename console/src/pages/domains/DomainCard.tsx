import type { Domain } from '@tenantry/client'
import { useState } from 'react'
import { useRoleLabel } from '../../api/built-in-roles.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyField } from '../../ui/CopyField.tsx'
import { Card } from '../../ui/Page.tsx'
import { DEFAULT_ROLE } from '../members/queries.ts'
import styles from './domains.module.css'
import { JoiningDialog } from './JoiningDialog.tsx'
import { RemoveDialog } from './RemoveDialog.tsx'
import { Verify } from './Verify.tsx'

const tones: Record<Domain['status'], Tone> = { pending: 'neutral', verified: 'success', lapsed: 'warning' }

export function DomainCard({ domain, isOwner }: { domain: Domain; isOwner: boolean }) {
  const t = useTexts('domains')
  const { day } = useFormat()
  const [open, setOpen] = useState<'joining' | 'remove'>()
  const { name, status, failing_since } = domain
  const close = () => setOpen(undefined)
  return (
    <Card title={name} actions={<Badge tone={tones[status]}>{t[status]}</Badge>}>
      {status === 'lapsed' && <Alert tone="warning">{t.lapsedHint}</Alert>}
      {status === 'verified' && failing_since && <Alert tone="warning">{t.failing({ day: day(failing_since) })}</Alert>}
      {status === 'verified' && <Joining domain={domain} />}
      <DnsRecord domain={domain} />
      <Verify domain={domain} isOwner={isOwner} />
      {status !== 'verified' && <Joining domain={domain} />}
      {isOwner && (
        <div className={styles.buttons}>
          <Button aria-label={t.joining.editOf({ name })} onClick={() => setOpen('joining')}>
            {t.joining.edit}
          </Button>
          <Button variant="quiet" aria-label={t.remove.actionOf({ name })} onClick={() => setOpen('remove')}>
            {t.remove.action}
          </Button>
        </div>
      )}
      {open === 'joining' && <JoiningDialog domain={domain} onClose={close} />}
      {open === 'remove' && <RemoveDialog domain={domain} onClose={close} />}
    </Card>
  )
}

/** Of a verified domain it only has to stay where it is. */
function DnsRecord({ domain: { name, status, record } }: { domain: Domain }) {
  const t = useTexts('domains')
  const [chosen, setChosen] = useState<boolean>()
  const isShown = chosen ?? status !== 'verified'
  return (
    <>
      {isShown && (
        <div className={styles.record}>
          <p>{t.record({ name })}</p>
          <p>
            <span className={styles.label}>{t.type}</span> <code>{record.type}</code>
          </p>
          <CopyField label={t.host} value={record.name} />
          <CopyField label={t.value} value={record.value} />
        </div>
      )}
      {status === 'verified' && (
        <div>
          <Button size="small" aria-expanded={isShown} onClick={() => setChosen(!isShown)}>
            {isShown ? t.hideRecord : t.showRecord}
          </Button>
        </div>
      )}
    </>
  )
}

function Joining({ domain: { joinPolicy, joinRoles } }: { domain: Domain }) {
  const { joining: t } = useTexts('domains')
  const { list } = useFormat()
  const roleLabel = useRoleLabel()
  const namesOf = (isGiven: boolean) =>
    list(joinRoles.filter(({ given }) => given === isGiven).map(({ name }) => roleLabel({ name })))
  const [given, outgrown] = [namesOf(true), namesOf(false)]
  return (
    <div>
      <p className={styles.label}>{t.title}</p>
      <p>{t[joinPolicy]}</p>
      {joinPolicy !== 'none' && (
        <p className={styles.quiet}>{t.given({ roles: given || roleLabel({ name: DEFAULT_ROLE }) })}</p>
      )}
      {joinPolicy !== 'none' && outgrown && <Alert tone="warning">{t.outgrown({ roles: outgrown })}</Alert>}
    </div>
  )
}
