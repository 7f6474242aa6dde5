import { useState } from 'react'
import { useSignedIn } from '../../api/tenantry.ts'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { Radio } from '../../ui/Field.tsx'
import { FieldGroup } from '../../ui/Form.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { AddByAccount } from './AddByAccount.tsx'
import { AddByEmail } from './AddByEmail.tsx'
import type { Added, AddProps, Given } from './adding.ts'
import { useUsualRoles } from './queries.ts'

export function AddMember({ given, onClose }: { given: Given; onClose: () => void }) {
  const t = useTexts('members').add
  const refresh = useRefreshCompany()
  const [added, setAdded] = useState<Added>()
  const finish = (member: Added) => {
    setAdded(member)
    void refresh()
  }
  if (added) return <NextStep added={added} onAgain={() => setAdded(undefined)} onClose={onClose} />
  return (
    <Dialog open wide onClose={onClose} title={t.action} intro={t.intro}>
      <Ways given={given} onAdded={finish} onClose={onClose} />
    </Dialog>
  )
}

/** Searching for accounts only helps people who know others from another company. */
function Ways({ given, ...rest }: Omit<AddProps, 'roleIds' | 'branchIds'> & { given: Given }) {
  const t = useTexts('members').add
  const [isByAccount, setByAccount] = useState(false)
  const hasOthers = useSignedIn().companies.length > 1
  const { roleIds: usual, error, refetch } = useUsualRoles()
  if (error && !usual) return <ErrorState problem={error} onRetry={() => void refetch()} />
  if (!usual) return <Skeleton />
  const props: AddProps = {
    ...rest,
    roleIds: given.roleId ? [given.roleId] : usual,
    branchIds: given.branchId ? [given.branchId] : [],
  }
  return (
    <>
      {hasOthers && (
        <FieldGroup legend={t.how}>
          <Radio
            name="way"
            label={t.byEmail}
            hint={t.byEmailHint}
            checked={!isByAccount}
            onChange={() => setByAccount(false)}
          />
          <Radio
            name="way"
            label={t.byAccount}
            hint={t.byAccountHint}
            checked={isByAccount}
            onChange={() => setByAccount(true)}
          />
        </FieldGroup>
      )}
      {isByAccount ? <AddByAccount {...props} /> : <AddByEmail {...props} />}
    </>
  )
}

function NextStep({ added, onAgain, onClose }: { added: Added; onAgain: () => void; onClose: () => void }) {
  const t = useTexts('members').add
  const { path } = useCompany()
  const { name, email, id } = added
  return (
    <Dialog open onClose={onClose} title={t.newTitle({ name })}>
      <Alert tone="success">
        <p>{added.isNewUser ? t.newMessage({ name, email }) : t.existingMessage({ name, email })}</p>
      </Alert>
      <DialogButtons>
        <Button onClick={onAgain}>{t.another}</Button>
        <ButtonLink variant="primary" to={path(`members/${id}`)}>
          {t.view}
        </ButtonLink>
      </DialogButtons>
    </Dialog>
  )
}
