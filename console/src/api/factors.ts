import type { tenantry } from './tenantry.ts'

export type Factor = Awaited<ReturnType<typeof tenantry.account.factors.list>>['factors'][number]
