import type { Company, Versioned } from '@tenantry/client'
import { useState } from 'react'
import { tenantry } from '../../api/tenantry.ts'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { isConflict } from '../../ui/DiffDialog.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'

const NAMES = ['name', 'slug', 'taxId', 'timezone', 'locale'] as const
type Values = Pick<Company, (typeof NAMES)[number]>

const SLUG = /^[a-z0-9]+(-+[a-z0-9]+)*$/

/** The form, and the dialog for when someone else saved the company in the meantime. */
export function useCompanyForm(company: Versioned<Company>) {
  const { fields, required } = useTexts('settings')
  const { changed } = useTexts('common')
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  // What the person began to edit: a version that is read later must not pass for it.
  const [base, setBase] = useState(company)
  const [newest, setNewest] = useState<Versioned<Company>>()

  const show = (saved: Versioned<Company>) => {
    setBase(saved)
    setNewest(undefined)
    form.reset(valuesOf(saved))
  }
  const save = async (values: Values, over: Versioned<Company>) => {
    const edited = changesIn(base, values)
    if (Object.keys(edited).length === 0) return
    show(await scope.update(edited, { ifMatch: over }))
    toast(changed)
    await Promise.all([tenantry.session.reload(), refresh()])
  }
  const saveUnlessConflict = (values: Values, over: Versioned<Company>) =>
    save(values, over).catch(async (error: unknown) => {
      if (!isConflict(error)) {
        setNewest(undefined)
        throw error
      }
      setNewest(await scope.get())
    })
  const form = useForm<Values>({
    initial: valuesOf(company),
    check: ({ name, slug, taxId }) => ({
      name: name.trim() ? undefined : required.name,
      slug: SLUG.test(slug) ? undefined : required.slug,
      taxId: taxId.trim() ? undefined : required.taxId,
    }),
    fieldOf: { slug_taken: 'slug', slug_limit_reached: 'slug' },
    submit: (values) => saveUnlessConflict(values, newest ?? base),
  })
  const yours = changesIn(base, form.values)
  return {
    form,
    conflict: {
      open: newest !== undefined,
      differences: NAMES.filter((name) => newest && name in yours && yours[name] !== newest[name]).map((name) => ({
        label: fields[name],
        theirs: newest?.[name] ?? '',
        yours: yours[name] ?? '',
      })),
      busy: form.busy,
      onKeepTheirs: () => newest && show(newest),
      onKeepYours: () => void form.onSubmit(),
    },
  }
}

const valuesOf = ({ name, slug, taxId, timezone, locale }: Company): Values => ({ name, slug, taxId, timezone, locale })

const changesIn = (before: Values, values: Values): Partial<Values> =>
  Object.fromEntries(NAMES.filter((name) => values[name] !== before[name]).map((name) => [name, values[name]]))
