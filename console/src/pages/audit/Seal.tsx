import { useState } from 'react'
import { useCompany } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ProblemAlert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { classes } from '../../ui/classes.ts'
import { Icon } from '../../ui/Icon.tsx'
import styles from './audit.module.css'
import { type AuditTexts, known } from './catalogue.ts'
import { Proof, type Verdict } from './Proof.tsx'
import { Retention } from './Retention.tsx'

/** Whether the log is what was written, when someone asks: the check reads all of it. */
export function Seal() {
  const t = useTexts('audit').seal
  const { scope } = useCompany()
  const [verdict, setVerdict] = useState<Verdict>()
  const [problem, setProblem] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const verify = async () => {
    setBusy(true)
    setProblem(undefined)
    await scope.audit.verify().then(setVerdict, setProblem)
    setBusy(false)
  }
  return (
    <section className={classes(styles.seal, verdict && (verdict.valid ? styles.valid : styles.invalid))}>
      <div className={styles.sealHead}>
        <span className={styles.emblem}>
          <Icon name={verdict && !verdict.valid ? 'warning' : 'role'} size={24} />
        </span>
        <div className={styles.sealWords} role="status">
          <Words verdict={verdict} />
        </div>
        <Button busy={busy} onClick={() => void verify()}>
          {verdict ? t.again : t.verify}
        </Button>
      </div>
      {problem !== undefined && <ProblemAlert problem={problem} />}
      <Proof verdict={verdict} />
      <Retention />
    </section>
  )
}

function Words({ verdict }: { verdict: Verdict | undefined }) {
  const t = useTexts('audit').seal
  const { title, message } = useWords(verdict)
  return (
    <>
      <h2 className={styles.sealTitle}>{title}</h2>
      <p>{message}</p>
      {verdict && verdict.misdated > 0 && <p>{t.misdated({ count: verdict.misdated })}</p>}
    </>
  )
}

function useWords(verdict: Verdict | undefined) {
  const t = useTexts('audit').seal
  const { moment } = useFormat()
  if (!verdict) return { title: t.title, message: t.intro }
  const { firstInvalid, checkpoint, records } = verdict
  if (firstInvalid) {
    const { seq } = firstInvalid
    return { title: t.invalid, message: t.invalidMessage({ seq, reason: reasonOf(t, firstInvalid.reason) }) }
  }
  if (!checkpoint) return { title: t.nothing, message: t.nothingMessage }
  return { title: t.valid({ count: records }), message: t.validMessage({ time: moment(checkpoint.time) }) }
}

const reasonOf = (t: AuditTexts['seal'], reason: string): string => known(t.reasons, reason) ?? t.reasons.other
