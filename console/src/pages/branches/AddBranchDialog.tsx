import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import { BranchFields, type BranchValues, FIELD_OF, trimmed } from './BranchFields.tsx'
import type { BranchItem } from './tree-rows.ts'
import type { Tree } from './use-branch-tree.ts'

const EMPTY: BranchValues = { name: '', code: '', address: '', phone: '', timezone: '' }

interface Props {
  parent: BranchItem | undefined
  tree: Tree
  onClose: () => void
}

export function AddBranchDialog({ parent, tree, onClose }: Props) {
  const t = useTexts('branches')
  const form = useNewBranch(parent, tree, onClose)
  const intro = parent ? t.form.addBelowIntro({ parent: parent.name }) : t.form.addIntro
  return (
    <Dialog open onClose={onClose} title={t.form.addTitle} intro={intro}>
      <Form form={form}>
        <BranchFields form={form} />
        <SendButtons form={form} onCancel={onClose}>
          {t.add}
        </SendButtons>
      </Form>
    </Dialog>
  )
}

function useNewBranch(parent: BranchItem | undefined, tree: Tree, onDone: () => void) {
  const t = useTexts('branches').form
  const { blank } = useTexts('problems').fields
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  return useForm<BranchValues>({
    initial: EMPTY,
    check: ({ name }) => ({ name: name.trim() ? undefined : blank }),
    submit: async (values) => {
      const { name } = await scope.branches.create({ ...trimmed(values), ...(parent && { parentId: parent.id }) })
      if (parent) tree.setOpen([parent], true)
      toast(t.added({ name }))
      await refresh()
      onDone()
    },
    fieldOf: FIELD_OF,
  })
}
