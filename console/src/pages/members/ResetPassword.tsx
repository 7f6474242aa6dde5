import { useState } from 'react'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert, ProblemAlert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { Radio } from '../../ui/Field.tsx'
import { FieldGroup } from '../../ui/Form.tsx'
import { toast } from '../../ui/toasts.ts'
import styles from './members.module.css'
import type { CurrentMember } from './queries.ts'

type Outcome = { step: 'ask' | 'unsent' } | { step: 'shown'; password: string }

interface ResetProps {
  member: CurrentMember
  onClose: () => void
  /** What the member's page shows is older than the password. */
  onDone: () => void
}

/** The password is only ever in the state of this dialog: closed, it is gone. */
export function ResetPassword({ member, onClose, onDone }: ResetProps) {
  const { scope } = useCompany()
  const { reset: t } = useTexts('members')
  const { name, email, managed } = member
  const [outcome, setOutcome] = useState<Outcome>({ step: 'ask' })
  const mail = async () => {
    const { emailed, replaced } = await scope.members.emailPassword(member.id)
    onDone()
    if (!emailed) return setOutcome({ step: 'unsent' })
    // A node of version 0.2.0 doesn't say.
    const sent = replaced ? t.sentReplacing : replaced === false ? t.sentBeside : t.sent
    toast(sent({ email }))
    onClose()
  }
  const show = async () => {
    const { temporaryPassword } = await scope.members.resetPassword(member.id)
    onDone()
    setOutcome({ step: 'shown', password: temporaryPassword })
  }
  if (outcome.step === 'shown') return <ShownPassword {...{ name, onClose }} password={outcome.password} />
  const [title, intro, action] = managed
    ? [t.title({ name }), t.intro({ name }), t.action]
    : [t.emailTitle({ name }), t.emailIntro({ email, name }), t.emailAction]
  return (
    <Dialog open onClose={onClose} title={title} intro={intro}>
      {outcome.step === 'unsent' && (
        <Alert tone="warning" title={t.unsent}>
          <p>{managed ? t.unsentHint : t.unsentLater}</p>
        </Alert>
      )}
      <Ways {...{ member, onClose, action, mail, show }} />
    </Dialog>
  )
}

interface WaysProps extends Omit<ResetProps, 'onDone'> {
  action: string
  mail: () => Promise<void>
  show: () => Promise<void>
}

function Ways({ member: { name, email, managed }, onClose, action, mail, show }: WaysProps) {
  const { reset: t } = useTexts('members')
  const common = useTexts('common')
  const [isShown, setShown] = useState(false)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const send = async () => {
    setBusy(true)
    setProblem(undefined)
    await (isShown ? show() : mail()).catch(setProblem)
    setBusy(false)
  }
  return (
    <>
      {managed && (
        <FieldGroup legend={t.how({ name })}>
          <Radio
            name="how"
            label={t.byEmail({ email })}
            hint={t.byEmailHint({ name })}
            checked={!isShown}
            onChange={() => setShown(false)}
          />
          <Radio name="how" label={t.byHand} hint={t.byHandHint} checked={isShown} onChange={() => setShown(true)} />
        </FieldGroup>
      )}
      {problem !== undefined && <ProblemAlert problem={problem} />}
      <DialogButtons>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button variant="primary" busy={busy} onClick={() => void send()}>
          {action}
        </Button>
      </DialogButtons>
    </>
  )
}

function ShownPassword({ name, password, onClose }: { name: string; password: string; onClose: () => void }) {
  const { temporaryPassword, copy, copied } = useTexts('common')
  const { reset: t } = useTexts('members')
  const [isCopied, setCopied] = useState(false)
  return (
    <Dialog open sticky onClose={onClose} title={temporaryPassword.title} intro={temporaryPassword.intro}>
      <div className={styles.secret}>
        <code>{password}</code>
        <Button
          icon={isCopied ? 'check' : 'copy'}
          onClick={() => void navigator.clipboard.writeText(password).then(() => setCopied(true))}
        >
          <span aria-live="polite">{isCopied ? copied : copy}</span>
        </Button>
      </div>
      <p className={styles.quiet}>{t.shownNext({ name })}</p>
      <DialogButtons>
        <Button variant="primary" onClick={onClose}>
          {t.done}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
