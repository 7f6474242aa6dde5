import { useState } from 'react'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Radio } from '../../ui/Field.tsx'
import { FieldGroup, Form } from '../../ui/Form.tsx'
import { SearchField } from '../../ui/Lists.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { useForm } from '../../ui/use-form.ts'
import type { AddProps } from './adding.ts'
import { MembershipFields } from './MembershipFields.tsx'
import styles from './members.module.css'
import { useRoles } from './queries.ts'

const LETTERS_MIN = 2

interface Account {
  id: string
  name: string
  email: string
}

/** Links an account that the caller can find: by a part of the name in their companies, else by its whole address. */
export function AddByAccount({ roleIds, branchIds, onAdded, onClose }: AddProps) {
  const t = useTexts('members')
  const { scope, can } = useCompany()
  const roles = useRoles(can('roles:read')).data?.items ?? []
  const [account, setAccount] = useState<Account>()
  const form = useForm({
    initial: { accountId: '', roleIds, branchIds },
    check: (values) => ({
      accountId: values.accountId ? undefined : t.required.account,
      roleIds: values.roleIds.length > 0 || !can('roles:read') ? undefined : t.required.roles,
    }),
    submit: async ({ accountId, branchIds, ...chosen }) => {
      // One that was searched for may be none of those that are listed.
      const nameOf = async (id: string) => roles.find((role) => role.id === id) ?? scope.roles.get(id)
      const roleNames = (await Promise.all(chosen.roleIds.map(nameOf))).map(({ name }) => name)
      onAdded({ ...(await scope.members.assign({ userId: accountId, roleNames, branchIds })), isNewUser: false })
    },
  })
  const choose = (chosen: Account | undefined) => {
    setAccount(chosen)
    form.set({ accountId: chosen?.id ?? '' })
  }
  return (
    <Form form={form}>
      <Finder chosen={account} onChoose={choose} error={form.errors.accountId} />
      <MembershipFields {...form.values} error={form.errors.roleIds} onChange={form.set} />
      <SendButtons form={form} onCancel={onClose}>
        {t.add.action}
      </SendButtons>
    </Form>
  )
}

interface FinderProps {
  chosen: Account | undefined
  onChoose: (account: Account | undefined) => void
  error: string | undefined
}

function Finder({ chosen, onChoose, error }: FinderProps) {
  const t = useTexts('members').add
  const [search, setSearch] = useState('')
  const find = (words: string) => {
    setSearch(words)
    onChoose(undefined)
  }
  return (
    <div className={styles.picker}>
      <SearchField label={t.find} value={search} onSearch={find} />
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      {search.length < LETTERS_MIN ? (
        <p className={styles.hint}>{t.findHint}</p>
      ) : (
        <Found search={search} chosen={chosen} onChoose={onChoose} />
      )}
    </div>
  )
}

function Found({ search, chosen, onChoose }: Omit<FinderProps, 'error'> & { search: string }) {
  const t = useTexts('members').add
  const { data, error, refetch } = useCompanyQuery(['accounts', search], (scope, options) =>
    scope.members.searchAccounts(search, options),
  )
  if (error && !data) return <ErrorState problem={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={3} />
  if (data.length === 0) return <p className={styles.hint}>{t.noneFound}</p>
  return (
    <FieldGroup legend={<span className="unseen">{t.found}</span>}>
      {data.map((account) => (
        <Radio
          key={account.id}
          name="account"
          label={account.name}
          hint={account.email}
          checked={account.id === chosen?.id}
          onChange={() => onChoose(account)}
        />
      ))}
    </FieldGroup>
  )
}
