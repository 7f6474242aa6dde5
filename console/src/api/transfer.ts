import type { CompanyScope } from './tenantry.ts'

/** Null: none is pending, or none that concerns the caller. */
export const readTransfer = async (scope: CompanyScope, options: { signal: AbortSignal }) =>
  (await scope.transfer.list(options))[0] ?? null
