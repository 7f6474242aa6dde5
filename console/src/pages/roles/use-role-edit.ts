import type { Role, Versioned } from '@tenantry/client'
import { useEffect, useState } from 'react'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { isConflict } from '../../ui/DiffDialog.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import type { RoleImpact } from './Impact.tsx'
import { changesOf, type RoleChanges, type RoleValues, valuesOf } from './role-values.ts'

type Saved = Versioned<Role>

interface Review {
  changes: RoleChanges
  version: Saved
  impact: RoleImpact
}

interface Conflict {
  latest: Saved
  /** The newest version with the changes of the person. */
  yours: RoleValues
}

/**
 * One edit of a role: a dry run says who gains and loses what, the person confirms, then it is saved, if nobody else has
 * saved the role since it was read.
 */
export function useRoleEdit(role: Saved) {
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  const t = useTexts('roles').save
  const { blank } = useTexts('problems').fields
  const [base, setBase] = useState(role)
  const [review, setReview] = useState<Review>()
  const [conflict, setConflict] = useState<Conflict>()
  const [resend, setResend] = useState<{ busy: boolean; problem?: unknown }>({ busy: false })
  const form = useForm<RoleValues>({
    initial: valuesOf(role),
    check: ({ name }) => ({ name: name.trim() ? undefined : blank }),
    submit: (values) => begin(changesOf(valuesOf(base), values), base),
    fieldOf: { role_name_taken: 'name' },
  })

  const adopt = (saved: Saved) => {
    setBase(saved)
    form.reset(valuesOf(saved))
    setConflict(undefined)
    setResend({ busy: false })
  }
  useNewerVersion(role, base, form.isChanged, adopt)

  async function begin(changes: RoleChanges, version: Saved): Promise<void> {
    const impact = changes.permissions && (await dryRun(changes, version))
    if (impact === 'conflict') return
    if (impact && impact.memberCount > 0) setReview({ changes, version, impact })
    else await save(changes, version)
  }

  const dryRun = (changes: RoleChanges, version: Saved) =>
    scope.roles.update(version, changes, { dryRun: true }).then(({ impact }) => impact, orConflict(changes))

  async function save(changes: RoleChanges, version: Saved): Promise<void> {
    const saved = await scope.roles.update(version, changes).catch(orConflict(changes))
    setReview(undefined)
    if (saved === 'conflict') return
    adopt(saved)
    toast(t.saved)
    await refresh()
  }

  const orConflict = (changes: RoleChanges) => async (error: unknown) => {
    if (!isConflict(error)) throw error
    const latest = await scope.roles.get(base.id)
    const yours: RoleValues = { ...valuesOf(latest), ...(changes as Partial<RoleValues>) }
    if (Object.keys(changesOf(valuesOf(latest), yours)).length > 0) setConflict({ latest, yours })
    else adopt(latest)
    return 'conflict' as const
  }

  const keepYours = async ({ latest, yours }: Conflict) => {
    setResend({ busy: true })
    setBase(latest)
    form.set(yours)
    const problem = await begin(changesOf(valuesOf(latest), yours), latest).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    setConflict(undefined)
    setResend({ busy: false, problem: problem?.error })
  }

  return {
    form,
    review: review && { ...review, confirm: () => save(review.changes, review.version) },
    closeReview: () => setReview(undefined),
    conflict: conflict && {
      ...conflict,
      keepTheirs: () => adopt(conflict.latest),
      keepYours: () => void keepYours(conflict),
    },
    resend,
    willPreview: base.memberCount > 0 && changesOf(valuesOf(base), form.values).permissions !== undefined,
    isChanged: Object.keys(changesOf(valuesOf(base), form.values)).length > 0,
    discard: () => adopt(base),
  }
}

/** What was read again meanwhile is taken over as long as the person has changed nothing. */
function useNewerVersion(role: Saved, base: Saved, isChanged: boolean, adopt: (role: Saved) => void): void {
  useEffect(() => {
    if (!isChanged && (role.etag !== base.etag || role.memberCount !== base.memberCount)) adopt(role)
  })
}
