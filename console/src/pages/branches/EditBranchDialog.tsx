import type { Branch, Versioned } from '@tenantry/client'
import { useState } from 'react'
import { useCompany, useCompanyQuery, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ProblemAlert } from '../../ui/Alert.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { DiffDialog, isConflict } from '../../ui/DiffDialog.tsx'
import { Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import { BranchFields, type BranchValues, FIELD_OF, trimmed, valuesOf } from './BranchFields.tsx'

/** Reads the branch first: its newest version is what is edited. */
export function EditBranchDialog({ branchId, name, onClose }: { branchId: string; name: string; onClose: () => void }) {
  const t = useTexts('branches').form
  const [opened] = useState(() => Date.now())
  const { data, error, refetch, dataUpdatedAt } = useCompanyQuery(['branch', branchId, opened], (scope, options) =>
    scope.branches.get(branchId, options),
  )
  return data?.id === branchId ? (
    <Editor key={dataUpdatedAt === 0 ? 0 : branchId} branch={data} onClose={onClose} />
  ) : (
    <Dialog open onClose={onClose} title={t.editTitle({ name })}>
      {error ? <ErrorState problem={error} onRetry={() => void refetch()} /> : <Skeleton lines={5} />}
    </Dialog>
  )
}

function Editor({ branch, onClose }: { branch: Versioned<Branch>; onClose: () => void }) {
  const t = useTexts('branches').form
  const common = useTexts('common')
  const edit = useBranchEdit(branch, onClose)
  const { conflict } = edit
  if (conflict) {
    return (
      <DiffDialog
        open
        differences={conflict.differences}
        busy={conflict.busy}
        onKeepTheirs={onClose}
        onKeepYours={conflict.keepYours}
      />
    )
  }
  return (
    <Dialog open onClose={onClose} title={t.editTitle({ name: edit.name })}>
      <Form form={edit.form}>
        <BranchFields form={edit.form} />
        {edit.problem !== undefined && <ProblemAlert problem={edit.problem} />}
        <SendButtons form={edit.form} onCancel={onClose}>
          {common.saveChanges}
        </SendButtons>
      </Form>
    </Dialog>
  )
}

type Changes = Partial<BranchValues>

/** Only what differs, so that nothing else of a newer version is undone. */
const changesOf = (before: BranchValues, after: BranchValues): Changes =>
  Object.fromEntries(Object.entries(trimmed(after)).filter(([key, value]) => value !== before[key as keyof Changes]))

interface Conflict {
  latest: Versioned<Branch>
  changes: Changes
  busy: boolean
}

function useBranchEdit(branch: Versioned<Branch>, onDone: () => void) {
  const t = useTexts('branches').form
  const { blank } = useTexts('problems').fields
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  const [base, setBase] = useState(branch)
  const [conflict, setConflict] = useState<Conflict>()
  const [problem, setProblem] = useState<unknown>()

  const save = async (version: Versioned<Branch>, changes: Changes) => {
    try {
      const { name } = await scope.branches.update(version, changes)
      toast(t.saved({ name }))
      await refresh()
      onDone()
    } catch (error) {
      if (!isConflict(error)) throw error
      const latest = await scope.branches.get(branch.id)
      setConflict({ latest, changes, busy: false })
    }
  }
  const form = useForm<BranchValues>({
    initial: valuesOf(branch),
    check: ({ name }) => ({ name: name.trim() ? undefined : blank }),
    submit: (values) => {
      setProblem(undefined)
      return save(base, changesOf(valuesOf(base), values))
    },
    fieldOf: FIELD_OF,
  })
  const keepYours = async ({ latest, changes }: Conflict) => {
    setConflict({ latest, changes, busy: true })
    await save(latest, changes).catch((error: unknown) => {
      // The form again, as it would be now, with what is wrong.
      setBase(latest)
      form.set({ ...valuesOf(latest), ...changes })
      setProblem(error)
      setConflict(undefined)
    })
  }
  const differences = conflict && differencesIn(conflict, t)
  return {
    form,
    name: base.name,
    problem,
    conflict: conflict && differences && { ...conflict, differences, keepYours: () => void keepYours(conflict) },
  }
}

function differencesIn({ latest, changes }: Conflict, t: ReturnType<typeof useTexts<'branches'>>['form']) {
  return Object.entries(changes).map(([key, yours]) => ({
    label: t[key as keyof BranchValues],
    theirs: latest[key as keyof BranchValues],
    yours,
  }))
}
