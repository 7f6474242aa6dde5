import type { Domain } from '@tenantry/client'
import { useState } from 'react'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ProblemAlert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toasts.ts'
import styles from './domains.module.css'

/** What the DNS said last, and asking it now. */
export function Verify({ domain, isOwner }: { domain: Domain; isOwner: boolean }) {
  const t = useTexts('domains')
  const { ago } = useFormat()
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const { found, missing, different, unanswered } = t.results
  const results = { found, missing, different, unanswered }
  const { id, name, checked_at, check_result } = domain
  const verify = async () => {
    setBusy(true)
    setProblem(undefined)
    await scope.domains.verify(id).then(() => toast(t.verify.done({ name })), setProblem)
    // Also a check that found nothing is one that the card tells of.
    await refresh()
    setBusy(false)
  }
  return (
    <>
      <div className={styles.line}>
        <p className={styles.quiet} aria-live="polite">
          {checked_at && check_result ? t.checked({ ago: ago(checked_at), result: results[check_result] }) : t.never}
        </p>
        {isOwner && (
          <Button size="small" busy={busy} aria-label={t.verify.actionOf({ name })} onClick={() => void verify()}>
            {t.verify.action}
          </Button>
        )}
      </div>
      {problem !== undefined && <ProblemAlert problem={problem} />}
    </>
  )
}
