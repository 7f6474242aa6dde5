export interface Added {
  id: string
  name: string
  email: string
  isNewUser: boolean
}

/** What a link to this dialog has chosen already. */
export interface Given {
  roleId?: string | undefined
  branchId?: string | undefined
}

export interface AddProps {
  /** The roles and branches that are chosen at first. */
  roleIds: string[]
  branchIds: string[]
  onAdded: (added: Added) => void
  onClose: () => void
}
