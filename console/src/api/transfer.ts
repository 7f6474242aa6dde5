import { isProblem } from './problems.ts'
import type { CompanyScope } from './tenantry.ts'

/** Null: none is pending, or none that concerns the caller. */
export const readTransfer = (scope: CompanyScope, options: { signal: AbortSignal }) =>
  scope.transfer.get(options).catch((error: unknown) => {
    if (isProblem(error) && error.code === 'transfer_not_found') return null
    throw error
  })
