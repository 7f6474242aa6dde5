import { useQueryClient } from '@tanstack/react-query'
import type { OwnInvitation } from '@tenantry/client'
import { useState } from 'react'
import { ofAccount } from '../../api/queries.ts'
import { tenantry, useSignedIn } from '../../api/tenantry.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert, ProblemAlert } from '../../ui/Alert.tsx'
import { Identity } from '../../ui/Avatar.tsx'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { Card } from '../../ui/Page.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import styles from './invitation.module.css'
import { useOwnInvitations } from './own.ts'
import { useEnter } from './use-enter.ts'
import { useMailboxCode } from './use-mailbox-code.tsx'

/** `quiet`: not there without an invitation. */
export function OwnInvitations({ quiet = false }: { quiet?: boolean }) {
  const { own: t } = useTexts('invitation')
  const { email_verified } = useSignedIn().account
  const { data, error, refetch } = useOwnInvitations(email_verified)
  if (quiet && !data?.length) return null
  return (
    <Card title={t.invitations}>
      {!email_verified ? (
        <Unconfirmed />
      ) : error && !data ? (
        <ErrorState problem={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={2} />
      ) : data.length === 0 ? (
        <p className={styles.quiet}>{t.none}</p>
      ) : (
        <ul className={styles.list}>
          {data.map((invitation) => (
            <Item key={invitation.id} invitation={invitation} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function Unconfirmed() {
  const { own, join } = useTexts('invitation')
  const { email } = useSignedIn().account
  const form = useForm({
    initial: {},
    submit: async () => {
      await tenantry.account.email.resendVerification({ email })
      toast(join.sent({ email }))
    },
  })
  return (
    <Form form={form}>
      <p className={styles.quiet}>{own.unconfirmed}</p>
      <FormButtons form={form} variant="secondary" icon="mail">
        {join.send}
      </FormButtons>
    </Form>
  )
}

function Item({ invitation: { id, company, inviter, expires_at } }: { invitation: OwnInvitation }) {
  const t = useTexts('invitation')
  const { day } = useFormat()
  const enter = useEnter()
  const client = useQueryClient()
  const { withCode, dialog } = useMailboxCode()
  const [busy, setBusy] = useState(false)
  const [isDeclining, setDeclining] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const [isInactive, setInactive] = useState(false)
  const readAgain = () => client.invalidateQueries({ queryKey: ofAccount('invitations') })
  const answer = async (send: () => Promise<void>) => {
    setBusy(true)
    setProblem(undefined)
    await send().catch(setProblem)
    setBusy(false)
  }
  const accept = async () => {
    const joined = await withCode((emailCode) =>
      tenantry.account.invitations.accept(id, emailCode ? { emailCode } : {}),
    )
    if (joined && (await enter(joined))) setInactive(true)
    else await readAgain()
  }
  const decline = async () => {
    const declined = await withCode((emailCode) =>
      tenantry.account.invitations.decline(id, emailCode ? { emailCode } : {}),
    )
    if (declined) toast(t.decline.done)
    await readAgain()
  }
  const detail = t.own.from({ inviter: inviter?.name ?? t.someone, day: day(expires_at) })
  return (
    <li className={styles.item}>
      <Identity square name={company.name} detail={detail} />
      <div className={styles.buttons}>
        <Button
          variant="quiet"
          aria-label={t.own.declineOf({ company: company.name })}
          onClick={() => setDeclining(true)}
        >
          {t.own.decline}
        </Button>
        <Button busy={busy} aria-label={t.own.acceptOf({ company: company.name })} onClick={() => void answer(accept)}>
          {t.own.accept}
        </Button>
      </div>
      {isInactive && <Alert tone="warning">{t.inactive.intro({ company: company.name })}</Alert>}
      {problem !== undefined && <ProblemAlert problem={problem} />}
      {dialog}
      <ConfirmDialog
        open={isDeclining}
        onClose={() => setDeclining(false)}
        title={t.decline.title}
        intro={t.decline.intro({ company: company.name })}
        action={t.decline.action}
        // The code may be asked for in a dialog of its own.
        onConfirm={async () => void answer(decline)}
      />
    </li>
  )
}
