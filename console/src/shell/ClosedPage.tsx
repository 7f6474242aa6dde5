import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { prove } from '../api/prove.ts'
import { tenantry, useSignedIn } from '../api/tenantry.ts'
import { useCompany } from '../api/use-company.ts'
import { useSayProblem } from '../api/use-say-problem.ts'
import { LeaveDialog } from '../pages/settings/LeaveDialog.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { Button, ButtonLink, type ButtonProps } from '../ui/Button.tsx'
import { focusHeading } from '../ui/dialog-focus.ts'
import { Card, Page } from '../ui/Page.tsx'
import { toast } from '../ui/toasts.ts'
import { Enroll } from './Enroll.tsx'
import styles from './Shell.module.css'

/** In the place of every page of a company whose policy keeps this session out: what it asks for, and the way to give it. */
export function ClosedPage({ code }: { code: string }) {
  const { closed } = useTexts('shell')
  const { summary } = useCompany()
  const company = summary?.name ?? ''
  const [isLeaving, setLeaving] = useState(false)
  const { title, message, actions } = useWayIn(code)
  // It comes by no change of the address, and what had the focus is hidden now.
  useEffect(focusHeading, [])
  return (
    <Page narrow title={title({ company })} intro={message}>
      <Card>
        <p>{closed.next}</p>
        <div className={styles.wayIn}>
          {actions}
          <Button variant="quiet" onClick={() => setLeaving(true)}>
            {closed.leave}
          </Button>
        </div>
      </Card>
      <LeaveDialog open={isLeaving} onClose={() => setLeaving(false)} />
    </Page>
  )
}

interface WayIn {
  title: (values: { company: string }) => string
  message: string
  actions: ReactNode
}

function useWayIn(code: string): WayIn {
  const { closed: t } = useTexts('shell')
  const { account } = useSignedIn()
  const { href } = useLocation()
  if (code === 'second_factor_required_by_company')
    return account.second_factor ? { ...t.prove, actions: <Prove /> } : { ...t.enroll, actions: <Enroll /> }
  if (code === 'reauthentication_required') return { ...t.proveAgain, actions: <Prove /> }
  if (code === 'password_too_weak_for_company')
    return {
      ...t.password,
      actions: (
        <ButtonLink variant="primary" to="/account/security" search={{ to: href }}>
          {t.password.action}
        </ButtonLink>
      ),
    }
  return { ...(code === 'network_not_allowed' ? t.network : t.other), actions: <CheckAgain /> }
}

/** Its success reads anew which companies are open, so that this page goes away by itself. */
function Prove() {
  const { closed: t } = useTexts('shell')
  return (
    <Asking variant="primary" ask={async () => void (await prove())}>
      {t.prove.action}
    </Asking>
  )
}

function CheckAgain() {
  const { closed: t } = useTexts('shell')
  const { id } = useCompany()
  const check = async () => {
    const state = await tenantry.session.reload()
    if (state.status === 'signed_in' && state.access[id] !== 'open') toast(t.still)
  }
  return <Asking ask={check}>{t.check}</Asking>
}

function Asking({ ask, ...button }: ButtonProps & { ask: () => Promise<void> }) {
  const { say } = useSayProblem()
  const [busy, setBusy] = useState(false)
  const start = async () => {
    setBusy(true)
    await ask().catch((error: unknown) => toast(say(error)))
    setBusy(false)
  }
  return <Button {...button} busy={busy} onClick={() => void start()} />
}
