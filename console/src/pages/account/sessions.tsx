import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AccountSession } from '@tenantry/client'
import { useState } from 'react'
import { isProblem } from '../../api/problems.ts'
import { ofAccount } from '../../api/queries.ts'
import { tenantry } from '../../api/tenantry.ts'
import { useDeviceName } from '../../api/use-device-name.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { Pagination } from '../../ui/Lists.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { toast } from '../../ui/toasts.ts'
import { AccountPage } from './AccountPage.tsx'
import styles from './account.module.css'
import { SessionList } from './SessionList.tsx'

const LIMIT = 20
const { sessions } = tenantry.account

export function SessionsPage() {
  const t = useTexts('account').sessions
  const [page, setPage] = useState(1)
  const list = useQuery({
    queryKey: ofAccount('sessions', { page }),
    queryFn: ({ signal }) => sessions.page({ page, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  })
  const [ending, setEnding] = useState<AccountSession | 'others'>()
  const hasOthers = (list.data?.total ?? 0) > 1
  const endOthers = hasOthers && <Button onClick={() => setEnding('others')}>{t.endOthers}</Button>
  return (
    <AccountPage title={t.title} intro={t.intro} actions={endOthers}>
      {list.isPending ? (
        <Skeleton lines={3} />
      ) : list.data ? (
        <>
          <SessionList sessions={currentFirst(list.data.items)} onEnd={setEnding} />
          {hasOthers || <p className={styles.aside}>{t.alone}</p>}
          <Pagination page={page} limit={LIMIT} total={list.data.total} onPage={setPage} />
        </>
      ) : (
        <ErrorState problem={list.error} onRetry={() => void list.refetch()} />
      )}
      <EndDialogs ending={ending} onClose={() => setEnding(undefined)} onEnded={() => setPage(1)} />
    </AccountPage>
  )
}

const currentFirst = (items: readonly AccountSession[]) =>
  items.toSorted((a, b) => Number(b.current) - Number(a.current))

interface EndProps {
  ending: AccountSession | 'others' | undefined
  onClose: () => void
  onEnded: () => void
}

function EndDialogs({ ending, onClose, onEnded }: EndProps) {
  const t = useTexts('account').sessions
  const client = useQueryClient()
  const deviceName = useDeviceName()
  const one = ending === 'others' ? undefined : ending
  const after = async (text: string) => {
    toast(text)
    onEnded()
    await client.invalidateQueries({ queryKey: ofAccount('sessions') })
  }
  return (
    <>
      <ConfirmDialog
        open={one !== undefined}
        onClose={onClose}
        title={t.endTitle}
        intro={one && t.endMessage({ device: deviceName(one.user_agent), address: one.ip })}
        action={t.end}
        onConfirm={async () => {
          if (one) await sessions.end(one.id).catch(unlessGone)
          await after(t.ended)
        }}
      />
      <ConfirmDialog
        open={ending === 'others'}
        onClose={onClose}
        title={t.endOthersTitle}
        intro={t.endOthersMessage}
        action={t.endOthers}
        onConfirm={async () => {
          const { ended } = await sessions.endOthers()
          await after(t.othersEnded({ count: ended }))
        }}
      />
    </>
  )
}

/** Ended already, or expired: what was asked for is so. */
function unlessGone(error: unknown): void {
  if (!isProblem(error) || error.code !== 'session_not_found') throw error
}
