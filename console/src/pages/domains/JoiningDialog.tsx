import type { Domain, Versioned } from '@tenantry/client'
import { useState } from 'react'
import { useRoleLabel } from '../../api/built-in-roles.ts'
import { useCompanyQuery } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { DiffDialog } from '../../ui/DiffDialog.tsx'
import { Checkbox, Radio } from '../../ui/Field.tsx'
import { FieldGroup, Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import styles from '../members/members.module.css'
import { DEFAULT_ROLE } from '../members/queries.ts'
import { useJoining, useJoinRoles } from './use-joining.ts'

interface JoiningProps {
  domain: Domain
  onClose: () => void
}

/** How people join by a verified domain, and what they become, as it is now: the list may be older, and has no version. */
export function JoiningDialog({ domain: { id, name }, onClose }: JoiningProps) {
  const { joining: t } = useTexts('domains')
  const [opened] = useState(() => Date.now())
  const { data, error, refetch } = useCompanyQuery(['domain', id, opened], (scope, options) =>
    scope.domains.get(id, options),
  )
  if (data) return <Editor domain={data} onClose={onClose} />
  return (
    <Dialog open onClose={onClose} title={t.dialog({ name })} intro={t.intro}>
      {error ? <ErrorState problem={error} onRetry={() => void refetch()} /> : <Skeleton lines={5} />}
    </Dialog>
  )
}

function Editor({ domain, onClose }: { domain: Versioned<Domain>; onClose: () => void }) {
  const { joining: t } = useTexts('domains')
  const { saveChanges } = useTexts('common')
  const { form, isChanged, outgrown, differences, keepTheirs } = useJoining(domain, onClose)
  const { values, set, onSubmit } = form
  const choices = [
    ['none', t.noneHint],
    ['request', t.requestHint],
    ['auto', t.autoHint],
  ] as const
  if (differences) {
    const keepYours = () => void onSubmit()
    return <DiffDialog open busy={form.busy} {...{ differences }} onKeepTheirs={keepTheirs} onKeepYours={keepYours} />
  }
  return (
    <Dialog open onClose={onClose} title={t.dialog({ name: domain.name })} intro={t.intro}>
      <Form form={form}>
        <FieldGroup legend={t.title}>
          {choices.map(([policy, hint]) => (
            <Radio
              key={policy}
              name="joining"
              label={t[policy]}
              hint={hint}
              checked={values.joinPolicy === policy}
              onChange={() => set({ joinPolicy: policy })}
            />
          ))}
        </FieldGroup>
        {values.joinPolicy !== 'none' && (
          <Roles
            {...{ domain, outgrown }}
            value={values.joinRoleIds}
            onChange={(joinRoleIds) => set({ joinRoleIds })}
          />
        )}
        <SendButtons form={form} onCancel={onClose} unavailable={!isChanged}>
          {saveChanges}
        </SendButtons>
      </Form>
    </Dialog>
  )
}

interface RolesProps {
  domain: Domain
  /** Those that are not given any more: each says so, and is chosen again only by a tick. */
  outgrown: string[]
  value: string[]
  onChange: (roleIds: string[]) => void
}

function Roles({ domain, outgrown, value, onChange }: RolesProps) {
  const { joining: t } = useTexts('domains')
  const roleLabel = useRoleLabel()
  const { roles, error, refetch } = useJoinRoles(domain)
  if (error && !roles) return <ErrorState problem={error} onRetry={() => void refetch()} />
  if (!roles) return <Skeleton lines={3} />
  return (
    <FieldGroup legend={t.roles}>
      <p className={styles.hint}>{t.rolesHint({ role: roleLabel({ name: DEFAULT_ROLE }) })}</p>
      <div className={styles.choices}>
        {roles.map(({ id, label }) => (
          <Checkbox
            key={id}
            label={label}
            hint={outgrown.includes(id) ? t.chooseAgain : undefined}
            checked={value.includes(id)}
            onChange={(checked) => onChange(checked ? [...value, id] : value.filter((each) => each !== id))}
          />
        ))}
      </div>
    </FieldGroup>
  )
}
