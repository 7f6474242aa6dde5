import type { Fault } from './judge.ts'
import type { Rig } from './rig.ts'

/** Lets somebody who may verify the audit of every company that is open. */
export async function auditFaults(rig: Rig): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [companyId, isClosed] of rig.world.truth.companies)
    if (!isClosed) faults.push(...(await auditFaultsIn(rig, companyId)))
  return faults
}

/** Some tokens hold no longer after a batch; where none does, nobody can tell. */
async function auditFaultsIn({ world, wire }: Rig, companyId: string): Promise<Fault[]> {
  for (const { standing, accountId, accessToken } of world.callers) {
    const membership = world.truth.memberships.get(`${companyId} ${accountId}`)
    if (standing !== 'good' || !membership?.open || !membership.permissions.has('audit:read')) continue
    const headers: [string, string][] = [
      ['authorization', `Bearer ${accessToken}`],
      ['x-company-id', companyId],
    ]
    const { status, text } = await wire.send({ method: 'GET', path: VERIFY, headers, body: undefined })
    if (status === 401 || status === 403) continue
    if (status === 200 && JSON.parse(text).data.valid === true) return []
    return [{ rule: 'the audit is as it was written', about: `${status} in ${companyId}: ${text.slice(0, 500)}` }]
  }
  return []
}

export const VERIFY = '/api/companies/audit/verify'
