import type { CompanyScope } from '@tenantry/client'
import { basePath } from '../../app-facts.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Facts } from '../../ui/Page.tsx'
import styles from './audit.module.css'
import { saveFile } from './save-file.ts'

export type Verdict = Awaited<ReturnType<CompanyScope['audit']['verify']>>

/** What a valid chain proves and what it does not, for people who have to rely on it. */
export function Proof({ verdict }: { verdict: Verdict | undefined }) {
  const t = useTexts('audit').seal
  const { number, moment } = useFormat()
  const checkpoint = verdict?.checkpoint
  const address = `${location.origin}${basePath}/.well-known/jwks.json`
  return (
    <details className={styles.proof}>
      <summary>{t.how}</summary>
      <ul>
        <li>{t.how1}</li>
        <li>{t.how2({ address })}</li>
        <li>{t.how3}</li>
        {checkpoint && checkpoint.begins.seq > 0 && <li>{t.purged({ seq: checkpoint.begins.seq })}</li>}
      </ul>
      {checkpoint && (
        <>
          <Facts
            facts={[
              [t.last, number(checkpoint.seq)],
              [t.time, moment(checkpoint.time)],
              [t.hash, <code key="hash">{checkpoint.hash}</code>],
              [t.key, <code key="key">{checkpoint.kid}</code>],
            ]}
          />
          <Button
            size="small"
            icon="download"
            onClick={() => saveFile(`audit-checkpoint-${checkpoint.seq}.json`, checkpointFile(checkpoint))}
          >
            {t.checkpoint}
          </Button>
        </>
      )}
    </details>
  )
}

const checkpointFile = (checkpoint: object) =>
  new Blob([`${JSON.stringify({ checkpoint })}\n`], { type: 'application/json' })
