import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { JoinableCompany } from '@tenantry/client'
import { useState } from 'react'
import { ofAccount } from '../../api/queries.ts'
import { tenantry, useSignedIn } from '../../api/tenantry.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ProblemAlert } from '../../ui/Alert.tsx'
import { Identity } from '../../ui/Avatar.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Page.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { toast } from '../../ui/toasts.ts'
import styles from './invitation.module.css'
import { useJoinableCompanies } from './own.ts'
import { useMailboxCode } from './use-mailbox-code.tsx'

/** By the domain of one's address. `quiet`: not there without any. */
export function JoinableCompanies({ quiet = false }: { quiet?: boolean }) {
  const { joinable: t } = useTexts('invitation')
  const { email_verified } = useSignedIn().account
  const { data, error, refetch } = useJoinableCompanies(email_verified)
  if (!email_verified || (quiet && !data?.length)) return null
  return (
    <Card title={t.title} intro={data?.length ? t.intro : undefined}>
      {error && !data ? (
        <ErrorState problem={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={2} />
      ) : data.length === 0 ? (
        <p className={styles.quiet}>{t.none}</p>
      ) : (
        <ul className={styles.list}>
          {data.map((company) => (
            <Item key={company.id} company={company} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function Item({ company }: { company: JoinableCompany }) {
  const { joinable: t } = useTexts('invitation')
  const { day } = useFormat()
  const { busy, problem, dialog, join, withdraw } = useJoining(company)
  const { name, joining, request } = company
  const detail = request ? t.requested({ day: day(request.created_at) }) : t[joining]
  const [words, label] =
    joining === 'auto' ? [t.join, t.joinOf({ company: name })] : [t.ask, t.askOf({ company: name })]
  return (
    <li className={styles.item}>
      <Identity square name={name} detail={detail} />
      {request ? (
        <Button busy={busy} aria-label={t.withdrawOf({ company: name })} onClick={() => void withdraw(request.id)}>
          {t.withdraw}
        </Button>
      ) : (
        <Button busy={busy} aria-label={label} onClick={() => void join()}>
          {words}
        </Button>
      )}
      {problem !== undefined && <ProblemAlert problem={problem} />}
      {dialog}
    </li>
  )
}

function useJoining({ id, name }: JoinableCompany) {
  const t = useTexts('invitation')
  const navigate = useNavigate()
  const client = useQueryClient()
  const { withCode, dialog } = useMailboxCode()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const readAgain = () => client.invalidateQueries({ queryKey: ofAccount('joinable') })
  const doing = async (deed: () => Promise<void>) => {
    setBusy(true)
    setProblem(undefined)
    await deed().catch(setProblem)
    setBusy(false)
  }
  const join = async () => {
    const joining = await withCode((emailCode) => tenantry.account.joining.join(id, emailCode ? { emailCode } : {}))
    if (!joining) return
    const { status } = joining
    void readAgain()
    toast(status === 'joined' ? t.joined({ company: name }) : t.joinable.asked({ company: name }))
    if (status === 'joined') await navigate({ to: '/c/$companyId', params: { companyId: id } })
  }
  const withdraw = async (requestId: string) => {
    await tenantry.account.joining.cancel(requestId)
    toast(t.joinable.withdrawn)
    await readAgain()
  }
  return {
    busy,
    problem,
    dialog,
    join: () => doing(join),
    withdraw: (requestId: string) => doing(() => withdraw(requestId)),
  }
}
