import type { Policy, PolicyImpact, Versioned } from '@tenantry/client'
import { useState } from 'react'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { isConflict } from '../../ui/DiffDialog.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { useForm } from '../../ui/use-form.ts'
import { FactorFields } from './FactorFields.tsx'
import { changesOf, type PolicyChanges, valuesOf } from './policy-values.ts'
import { ReviewDialog } from './ReviewDialog.tsx'
import { DomainFields, NetworkFields, PasswordFields, SessionFields } from './sections.tsx'

interface PolicyFormProps {
  policy: Versioned<Policy>
  /** Someone else was faster; what they saved is read. */
  onConflict: () => void
  onSaved: () => void
}

/** Every change is tried before it is saved: what it would do to whom is seen first. */
export function PolicyForm({ policy, onConflict, onSaved }: PolicyFormProps) {
  const t = useTexts('policy')
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  const [tried, setTried] = useState<{ changes: PolicyChanges; impact: PolicyImpact; from: string }>()
  const [initial] = useState(() => valuesOf(policy))
  const form = useForm({
    initial,
    check: ({ required, roleIds }) => ({
      roleIds: required === 'roles' && roleIds.length === 0 ? t.factor.rolesMissing : undefined,
    }),
    fieldOf: { grace_too_long: 'from' },
    submit: async (values) => {
      const changes = changesOf(values, initial)
      const { impact } = await scope.policy.update(changes, { dryRun: true })
      if (impact) setTried({ changes, impact, from: values.required === 'nobody' ? '' : values.from })
    },
  })
  const save = async (changes: PolicyChanges) => {
    const isSaved = await scope.policy.update(changes, { ifMatch: policy }).then(
      () => true,
      (problem: unknown) => {
        if (!isConflict(problem)) throw problem
        return false
      },
    )
    await refresh()
    if (isSaved) onSaved()
    else onConflict()
    return isSaved
  }
  return (
    <Form form={form}>
      <FactorFields form={form} />
      <SessionFields form={form} />
      <PasswordFields form={form} />
      <NetworkFields form={form} />
      <DomainFields form={form} />
      <FormButtons form={form} unavailable={!form.isChanged}>
        {t.review.action}
      </FormButtons>
      {tried && (
        <ReviewDialog
          impact={tried.impact}
          from={tried.from}
          onSave={() => save(tried.changes)}
          onRetry={() => void form.onSubmit()}
          onClose={() => setTried(undefined)}
        />
      )}
    </Form>
  )
}
