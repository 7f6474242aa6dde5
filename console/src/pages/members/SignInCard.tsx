import { useState } from 'react'
import { useSignedIn } from '../../api/tenantry.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Card } from '../../ui/Page.tsx'
import type { CardProps } from './cards.tsx'
import styles from './members.module.css'
import { type CurrentMember, useReadMemberAgain } from './queries.ts'
import { RemoveFactors } from './RemoveFactors.tsx'
import { ResetPassword } from './ResetPassword.tsx'

/** Whose the account is, and so what can be done about its password and second factors here. */
export function SignInCard({ member, canEdit }: CardProps) {
  const t = useTexts('members')
  const isSelf = useSignedIn().account.id === member.id
  const readAgain = useReadMemberAgain()
  const [open, setOpen] = useState<'password' | 'factors'>()
  const close = () => setOpen(undefined)
  return (
    <Card title={t.detail.signIn}>
      <div className={styles.notes}>
        {isSelf ? <OwnNote /> : <Notes member={member} />}
        {canEdit && !isSelf && (
          <div className={styles.ways}>
            <Button icon="key" onClick={() => setOpen('password')}>
              {member.managed ? t.reset.action : t.reset.emailAction}
            </Button>
            {member.managed && member.second_factor && (
              <Button onClick={() => setOpen('factors')}>{t.factors.action}</Button>
            )}
          </div>
        )}
      </div>
      {open === 'password' && (
        <ResetPassword member={member} onClose={close} onDone={() => void readAgain(member.id)} />
      )}
      {open === 'factors' && <RemoveFactors member={member} onClose={close} onDone={() => readAgain(member.id)} />}
    </Card>
  )
}

function OwnNote() {
  const { signIn: t } = useTexts('members')
  return (
    <>
      <Note title={t.self} text={t.selfMessage} />
      <ButtonLink to="/account/security">{t.selfAction}</ButtonLink>
    </>
  )
}

function Notes({ member }: { member: CurrentMember }) {
  const { signIn: t, factors } = useTexts('members')
  const { name, managed, must_change_password, password_shown, second_factor } = member
  return (
    <>
      {managed ? (
        <Note title={t.managed} text={t.managedMessage} />
      ) : (
        <Note title={t.own} text={t.ownMessage({ name })} />
      )}
      <Note {...(second_factor ? factors.has : factors.lacks)} />
      {must_change_password && <Note title={t.temporary} text={t.temporaryMessage({ name })} />}
      {password_shown && <Note title={t.shown} text={t.shownMessage} />}
    </>
  )
}

const Note = ({ title, text }: { title: string; text: string }) => (
  <p className={styles.note}>
    <strong>{title}</strong>
    {text}
  </p>
)
