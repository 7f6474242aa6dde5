import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Factor } from '../../api/factors.ts'
import { canUsePasskeys } from '../../api/passkeys.ts'
import { ofAccount } from '../../api/queries.ts'
import { showRecoveryCodes } from '../../api/recovery-codes.ts'
import { tenantry } from '../../api/tenantry.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Page.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { AddAppDialog } from './AddAppDialog.tsx'
import { AddPasskeyDialog } from './AddPasskeyDialog.tsx'
import styles from './account.module.css'
import { NewCodesDialog, RemoveDialog, RenameDialog } from './FactorDialogs.tsx'
import { FactorList } from './FactorList.tsx'

const FEW_CODES = 2
const REQUIRED_ID = 'required-by'
type Intent = 'passkey' | 'app' | 'codes' | { rename: Factor } | { remove: Factor }

/** What is asked for beside the password, and the codes for the day when it is lost. */
export function FactorsCard() {
  const t = useTexts('account').factors
  const [intent, setIntent] = useState<Intent>()
  const list = useQuery({
    queryKey: ofAccount('factors'),
    queryFn: ({ signal }) => tenantry.account.factors.list({ signal }),
  })
  const { factors = [], recoveryCodesLeft = 0, required_by = [] } = list.data ?? {}
  const lastStays = required_by.length > 0 && factors.length === 1
  return (
    <Card title={t.title} intro={t.intro}>
      {list.error && !list.data && <ErrorState problem={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={2} />}
      {required_by.length > 0 && <RequiredBy companies={required_by} lastStays={lastStays} />}
      {factors.length > 0 && (
        <FactorList
          factors={factors}
          keptBecause={lastStays ? REQUIRED_ID : undefined}
          onRename={(rename) => setIntent({ rename })}
          onRemove={(remove) => setIntent({ remove })}
        />
      )}
      {list.data && (
        <div className={styles.choices}>
          {canUsePasskeys && (
            <Button icon="add" onClick={() => setIntent('passkey')}>
              {t.addPasskey}
            </Button>
          )}
          <Button icon="add" onClick={() => setIntent('app')}>
            {t.addApp}
          </Button>
        </div>
      )}
      {factors.length > 0 && <Codes left={recoveryCodesLeft} onRenew={() => setIntent('codes')} />}
      <Dialogs intent={intent} count={factors.length} onClose={() => setIntent(undefined)} />
    </Card>
  )
}

function RequiredBy({ companies, lastStays }: { companies: readonly { name: string }[]; lastStays: boolean }) {
  const t = useTexts('account').factors
  const { list } = useFormat()
  return (
    <Alert>
      <p id={REQUIRED_ID}>
        {t.requiredBy({ count: companies.length, companies: list(companies.map(({ name }) => name)) })}{' '}
        {lastStays && t.lastStays}
      </p>
    </Alert>
  )
}

function Codes({ left, onRenew }: { left: number; onRenew: () => void }) {
  const t = useTexts('account').factors
  const text = t.codesLeft({ count: left })
  return (
    <div className={styles.codesLeft}>
      {left <= FEW_CODES ? (
        <Alert tone="warning" title={text}>
          <p>{t.fewCodes}</p>
        </Alert>
      ) : (
        <p>{text}</p>
      )}
      <Button onClick={onRenew}>{t.newCodes}</Button>
    </div>
  )
}

function Dialogs({ intent, count, onClose }: { intent: Intent | undefined; count: number; onClose: () => void }) {
  const client = useQueryClient()
  const onDone = () => client.invalidateQueries({ queryKey: ofAccount('factors') })
  const onAdded = (codes: readonly string[] | undefined) => {
    onClose()
    showRecoveryCodes(codes)
    void onDone()
  }
  if (intent === 'passkey') return <AddPasskeyDialog onClose={onClose} onAdded={onAdded} />
  if (intent === 'app') return <AddAppDialog onClose={onClose} onAdded={onAdded} />
  if (intent === 'codes') return <NewCodesDialog onClose={onClose} onDone={onDone} />
  if (!intent) return null
  if ('rename' in intent) return <RenameDialog factor={intent.rename} onClose={onClose} onDone={onDone} />
  return <RemoveDialog factor={intent.remove} isLast={count === 1} onClose={onClose} onDone={onDone} />
}
