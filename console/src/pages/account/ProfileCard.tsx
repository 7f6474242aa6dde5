import type { Account } from '@tenantry/client'
import { useSignedIn } from '../../api/tenantry.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { TextField } from '../../ui/Field.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { Card } from '../../ui/Page.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import styles from './account.module.css'
import { saveChanged } from './save-changed.ts'

const valuesOf = ({ name, phone, position, document_type, document_number, avatar_url }: Account) => ({
  name,
  phone,
  position,
  document_type,
  document_number,
  avatar_url: avatar_url ?? '',
})

export function ProfileCard() {
  const t = useTexts('account').profile
  const { account } = useSignedIn()
  const form = useForm({
    initial: valuesOf(account),
    check: ({ name, avatar_url }) => ({
      name: name.trim() ? undefined : t.nameMissing,
      avatar_url: isPicture(avatar_url.trim()) ? undefined : t.pictureWrong,
    }),
    submit: async (values) => {
      form.reset(valuesOf(await saveChanged(account, values)))
      toast(t.saved)
    },
  })
  return (
    <Card title={t.heading} intro={t.visible}>
      <Form form={form}>
        <TextField label={t.name} {...form.field('name')} maxLength={100} autoComplete="name" />
        <div className={styles.pair}>
          <TextField label={t.phone} {...form.field('phone')} type="tel" maxLength={32} autoComplete="tel" optional />
          <TextField
            label={t.position}
            {...form.field('position')}
            maxLength={100}
            autoComplete="organization-title"
            optional
          />
          <TextField
            label={t.documentType}
            hint={t.documentTypeHint}
            {...form.field('document_type')}
            maxLength={64}
            optional
          />
          <TextField label={t.documentNumber} {...form.field('document_number')} maxLength={50} optional />
        </div>
        <TextField
          label={t.picture}
          hint={t.pictureHint}
          {...form.field('avatar_url')}
          type="url"
          maxLength={2048}
          optional
        />
        <FormButtons form={form}>{t.submit}</FormButtons>
      </Form>
    </Card>
  )
}

const isPicture = (address: string) => address === '' || /^https?:\/\/[^\s\\]+$/.test(address)
