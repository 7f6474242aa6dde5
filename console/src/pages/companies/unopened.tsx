import { useCallback, useEffect, useState } from 'react'
import { tenantry, useSignedIn } from '../../api/tenantry.ts'
import { useCompany } from '../../api/use-company.ts'
import { ClosedPage } from '../../shell/ClosedPage.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import { ProblemAlert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { focusHeading, keepFocusOnHeading } from '../../ui/dialog-focus.ts'
import { Card, Page } from '../../ui/Page.tsx'
import { LeaveDialog } from '../settings/LeaveDialog.tsx'
import styles from '../settings/settings.module.css'

/**
 * In the place of every page of a company that has added the account, which the account has not opened. Any page of the web can lead
 * here, so nothing is read in the company before the person asks for it.
 */
export function UnopenedPage() {
  const { closedBy } = useCompany()
  const [isWanted, setWanted] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const end = useCallback((reason: unknown) => {
    setWanted(false)
    setProblem(reason)
    // Its policy may have begun to keep the session out.
    if (reason) tenantry.session.reload().catch(() => {})
  }, [])
  useOpening(isWanted && !closedBy, end)
  const want = () => {
    setProblem(undefined)
    setWanted(true)
  }
  // Its policy asks first, and the company is opened as soon as that lets the person in.
  return isWanted && closedBy ? (
    <ClosedPage code={closedBy} />
  ) : (
    <Question busy={isWanted} problem={problem} onOpen={want} />
  )
}

/** This page goes away when that is done, and the session knows it. */
function useOpening(isDue: boolean, onEnd: (problem?: unknown) => void): void {
  const { id } = useCompany()
  useEffect(() => {
    if (!isDue) return
    const opened = tenantry.company(id).open().then(keepFocusOnHeading)
    void opened.then(() => onEnd(), onEnd)
  }, [isDue, id, onEnd])
}

function Question({ busy, problem, onOpen }: { busy: boolean; problem: unknown; onOpen: () => void }) {
  const t = useTexts('companies').unopened
  const { id, summary } = useCompany()
  const { creator } = useSignedIn()
  const [isLeaving, setLeaving] = useState(false)
  // It comes by no change of the address where the person was added again.
  useEffect(focusHeading, [])
  return (
    <Page narrow title={t.title({ company: summary?.name ?? '' })} intro={t.message}>
      <Card>
        <p>{creator === id ? t.creator : t.next}</p>
        {problem !== undefined && <ProblemAlert problem={problem} />}
        <div className={styles.buttons}>
          <Button variant="primary" busy={busy} onClick={onOpen}>
            {t.open}
          </Button>
          <Button variant="quiet" onClick={() => setLeaving(true)}>
            {t.leave}
          </Button>
        </div>
      </Card>
      <LeaveDialog open={isLeaving} onClose={() => setLeaving(false)} />
    </Page>
  )
}
