import { useNavigate } from '@tanstack/react-router'
import { withFreeSlug } from '../../api/slugs.ts'
import { tenantry } from '../../api/tenantry.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { TextField } from '../../ui/Field.tsx'
import { FieldGroup, Form, FormButtons } from '../../ui/Form.tsx'
import { Card, Page } from '../../ui/Page.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'

export function NewCompanyPage() {
  const t = useTexts('companies').create
  const navigate = useNavigate()
  const form = useForm({
    initial: { name: '', taxId: '' },
    check: ({ name, taxId }) => ({
      name: name.trim() ? undefined : t.nameMissing,
      taxId: taxId.trim() ? undefined : t.taxIdMissing,
    }),
    fieldOf: { company_name_taken: 'name' },
    submit: async (values) => {
      const { id, name } = await withFreeSlug(values.name, (slug) =>
        tenantry.companies.create({ ...values, ...(slug && { slug }) }),
      )
      toast(t.created({ company: name }))
      await navigate({ to: '/c/$companyId', params: { companyId: id } })
    },
  })
  return (
    <Page narrow title={t.title} intro={t.intro}>
      <Card>
        <Form form={form}>
          <FieldGroup>
            <TextField label={t.name} {...form.field('name')} autoComplete="organization" />
            <TextField label={t.taxId} hint={t.taxIdHint} {...form.field('taxId')} autoComplete="off" />
          </FieldGroup>
          <FormButtons form={form}>{t.submit}</FormButtons>
        </Form>
      </Card>
    </Page>
  )
}
