import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ofAccount } from '../../api/queries.ts'
import { tenantry } from '../../api/tenantry.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Card } from '../../ui/Page.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { toast } from '../../ui/toasts.ts'
import { AddAppDialog } from './AddAppDialog.tsx'
import styles from './account.module.css'
import { RecoveryCodes } from './RecoveryCodes.tsx'

const { factors } = tenantry.account
type Factor = Awaited<ReturnType<typeof factors.list>>['factors'][number]
type Intent = 'add' | 'codes' | { remove: string; name: string }

/** What is asked for beside the password, and the codes for the day when it is lost. */
export function FactorsCard() {
  const t = useTexts('account').factors
  const { day } = useFormat()
  const client = useQueryClient()
  const [intent, setIntent] = useState<Intent>()
  const [codes, setCodes] = useState<readonly string[]>()
  const list = useQuery({ queryKey: ofAccount('factors'), queryFn: ({ signal }) => factors.list({ signal }) })
  const refresh = () => client.invalidateQueries({ queryKey: ofAccount('factors') })
  const { data } = list
  const close = () => setIntent(undefined)
  const nameOf = ({ name, kind }: Pick<Factor, 'name' | 'kind'>) => name || (kind === 'passkey' ? t.passkey : t.totp)
  const removing = typeof intent === 'object' ? intent : undefined
  return (
    <Card title={t.title} intro={t.intro}>
      {list.error && !data && <ErrorState problem={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={2} />}
      {data && (
        <>
          {data.factors.length > 0 && (
            <ul className={styles.sessions} aria-label={t.title}>
              {data.factors.map(({ id, name, kind, last_used_at, created_at }) => (
                <li key={id} className={styles.session}>
                  <Icon name="device" size={22} />
                  <div className={styles.what}>
                    <p className={styles.device}>{nameOf({ name, kind })}</p>
                    <p className={styles.aside}>
                      {last_used_at ? t.used({ day: day(last_used_at) }) : t.added({ day: day(created_at) })}
                    </p>
                  </div>
                  <Button onClick={() => setIntent({ remove: id, name: nameOf({ name, kind }) })}>{t.remove}</Button>
                </li>
              ))}
            </ul>
          )}
          {data.factors.length > 0 && <p>{t.codesLeft({ count: data.recoveryCodesLeft })}</p>}
          <div className={styles.choices}>
            <Button icon="add" onClick={() => setIntent('add')}>
              {t.addApp}
            </Button>
            {data.factors.length > 0 && <Button onClick={() => setIntent('codes')}>{t.newCodes}</Button>}
          </div>
        </>
      )}
      {intent === 'add' && (
        <AddAppDialog
          onClose={close}
          onAdded={(made) => {
            close()
            toast(t.appAdded)
            setCodes(made)
            void refresh()
          }}
        />
      )}
      {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />}
      <ConfirmDialog
        open={intent === 'codes'}
        variant="primary"
        onClose={close}
        title={t.newCodes}
        intro={t.newCodesIntro}
        action={t.newCodes}
        onConfirm={async () => {
          setCodes((await factors.createRecoveryCodes()).recoveryCodes)
          await refresh()
        }}
      />
      <ConfirmDialog
        open={removing !== undefined}
        onClose={close}
        title={t.removeTitle({ name: removing?.name ?? '' })}
        intro={t.removeIntro}
        action={t.remove}
        onConfirm={async () => {
          if (removing) await factors.remove(removing.remove)
          toast(t.removed)
          await refresh()
        }}
      />
    </Card>
  )
}
