import { useState } from 'react'
import { tenantry } from '../../api/tenantry.ts'
import { useCompany } from '../../api/use-company.ts'
import { useSayProblem } from '../../api/use-say-problem.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Card, Page } from '../../ui/Page.tsx'
import { toast } from '../../ui/toasts.ts'
import { LeaveDialog } from '../settings/LeaveDialog.tsx'
import styles from '../settings/settings.module.css'

/** In the place of every page of a company that the operator has suspended. */
export function SuspendedPage() {
  const t = useTexts('companies').suspended
  const { summary } = useCompany()
  const [isLeaving, setLeaving] = useState(false)
  return (
    <Page narrow title={t.title({ company: summary?.name ?? '' })} intro={t.message}>
      <Card>
        <p>{t.next}</p>
        <div className={styles.buttons}>
          <CheckAgain />
          <Button variant="quiet" onClick={() => setLeaving(true)}>
            {t.leave}
          </Button>
        </div>
      </Card>
      <LeaveDialog open={isLeaving} onClose={() => setLeaving(false)} />
    </Page>
  )
}

function CheckAgain() {
  const t = useTexts('companies').suspended
  const { id } = useCompany()
  const { say } = useSayProblem()
  const [busy, setBusy] = useState(false)
  const check = async () => {
    setBusy(true)
    await tenantry.session.reload().catch((error: unknown) => toast(say(error)))
    const state = tenantry.session.get()
    const companies = state.status === 'signed_in' ? state.companies : []
    if (companies.find((each) => each.id === id)?.status === 'suspended') toast(t.still)
    setBusy(false)
  }
  return (
    <Button busy={busy} onClick={() => void check()}>
      {t.check}
    </Button>
  )
}
