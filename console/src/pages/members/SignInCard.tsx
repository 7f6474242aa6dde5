import { useState } from 'react'
import { useSignedIn } from '../../api/tenantry.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Card } from '../../ui/Page.tsx'
import type { CardProps } from './cards.tsx'
import styles from './members.module.css'
import { type CurrentMember, useReadMemberAgain } from './queries.ts'
import { ResetPassword } from './ResetPassword.tsx'

/** Whose the account is, and so what can be done about its password here. */
export function SignInCard({ member, canEdit }: CardProps) {
  const t = useTexts('members')
  const isSelf = useSignedIn().account.id === member.id
  const readAgain = useReadMemberAgain()
  const [isOpen, setOpen] = useState(false)
  return (
    <Card title={t.detail.signIn}>
      <div className={styles.notes}>
        {isSelf ? <OwnNote /> : <Notes member={member} />}
        {canEdit && !isSelf && (
          <Button icon="key" onClick={() => setOpen(true)}>
            {member.managed ? t.reset.action : t.reset.emailAction}
          </Button>
        )}
      </div>
      {isOpen && (
        <ResetPassword member={member} onClose={() => setOpen(false)} onDone={() => void readAgain(member.id)} />
      )}
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

function Notes({ member: { name, managed, must_change_password, password_shown } }: { member: CurrentMember }) {
  const { signIn: t } = useTexts('members')
  return (
    <>
      {managed ? (
        <Note title={t.managed} text={t.managedMessage} />
      ) : (
        <Note title={t.own} text={t.ownMessage({ name })} />
      )}
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
