import { useState } from 'react'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { basePath } from '../../app-facts.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyField } from '../../ui/CopyField.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { Select, TextField } from '../../ui/Field.tsx'
import { Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { useForm } from '../../ui/use-form.ts'
import styles from '../members/members.module.css'
import { RolePicker } from '../members/Picker.tsx'
import { useUsualRoles } from '../members/queries.ts'
import { useDayChoices } from './days.ts'

const USES_MAX = 500

/** The token is only ever in the state of this dialog: closed, it is gone. */
export function LinkDialog({ onClose }: { onClose: () => void }) {
  const { links: t } = useTexts('inviting')
  const { roleIds, error, refetch } = useUsualRoles()
  const [token, setToken] = useState<string>()
  if (token !== undefined) return <ShownLink token={token} onClose={onClose} />
  return (
    <Dialog open wide onClose={onClose} title={t.action} intro={t.createIntro}>
      {roleIds ? (
        <LinkForm roleIds={roleIds} onCreated={setToken} onClose={onClose} />
      ) : error ? (
        <ErrorState problem={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton />
      )}
    </Dialog>
  )
}

interface FormProps {
  roleIds: string[]
  onCreated: (token: string) => void
  onClose: () => void
}

function LinkForm({ roleIds, onCreated, onClose }: FormProps) {
  const { links: t, invite } = useTexts('inviting')
  const { add, required } = useTexts('members')
  const { scope, can } = useCompany()
  const refresh = useRefreshCompany()
  const form = useForm({
    initial: { maxUses: '10', days: '7', allowedDomains: '', roleIds },
    check: ({ maxUses, roleIds }) => ({
      maxUses: isCount(maxUses) ? undefined : t.usesMissing,
      roleIds: roleIds.length > 0 || !can('roles:read') ? undefined : required.roles,
    }),
    submit: async ({ maxUses, days, allowedDomains, roleIds }) => {
      const { token } = await scope.invitationLinks.create({
        maxUses: Number(maxUses),
        expiresInDays: Number(days),
        allowedDomains: allowedDomains.split(/[\s,;]+/).filter(Boolean),
        ...(roleIds.length > 0 && { roleIds }),
      })
      onCreated(token)
      await refresh()
    },
  })
  const { values, errors, set } = form
  return (
    <Form form={form}>
      {can('roles:read') ? (
        <RolePicker value={values.roleIds} error={errors.roleIds} onChange={(next) => set({ roleIds: next })} />
      ) : (
        <p className={styles.hint}>{add.roleDefault}</p>
      )}
      <div className={styles.pair}>
        <TextField label={t.uses} inputMode="numeric" {...form.field('maxUses')} autoComplete="off" />
        <Select label={invite.valid} options={useDayChoices()} {...form.field('days')} />
      </div>
      <TextField
        optional
        label={t.domains}
        hint={t.domainsHint}
        {...form.field('allowedDomains')}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <SendButtons form={form} onCancel={onClose}>
        {t.submit}
      </SendButtons>
    </Form>
  )
}

const isCount = (text: string) => /^\d{1,3}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= USES_MAX

function ShownLink({ token, onClose }: { token: string; onClose: () => void }) {
  const { links: t } = useTexts('inviting')
  const address = `${location.origin}${basePath}/join?token=${encodeURIComponent(token)}`
  return (
    <Dialog open sticky onClose={onClose} title={t.shownTitle} intro={t.shownIntro}>
      <CopyField label={t.link} value={address} />
      <DialogButtons>
        <Button variant="primary" onClick={onClose}>
          {t.done}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
