import type { FuzzContext } from './context.ts'
import type { Violation } from './response-checks.ts'

/** Verifies the audit log of every company that is not deleted. */
export async function auditViolations(context: FuzzContext): Promise<Violation[]> {
  const violations: Violation[] = []
  for (const [companyId, isClosed] of context.world.state.companies)
    if (!isClosed) violations.push(...(await auditViolationsIn(context, companyId)))
  return violations
}

/** Tries members until one token is accepted: a batch may have ended some sessions. Without any, the check is skipped. */
async function auditViolationsIn({ world, client }: FuzzContext, companyId: string): Promise<Violation[]> {
  for (const { credentials, accountId, accessToken } of world.callers) {
    const membership = world.state.memberships.get(`${companyId} ${accountId}`)
    if (credentials !== 'valid' || !membership?.open || !membership.permissions.has('audit:read')) continue
    const headers: [string, string][] = [
      ['authorization', `Bearer ${accessToken}`],
      ['x-company-id', companyId],
    ]
    const { status, text } = await client.send({ method: 'GET', path: VERIFY, headers, body: undefined })
    if (status === 401 || status === 403) continue
    if (status === 200 && JSON.parse(text).data.valid === true) return []
    return [{ rule: 'the audit log verifies', about: `${status} in ${companyId}: ${text.slice(0, 500)}` }]
  }
  return []
}

export const VERIFY = '/api/companies/audit/verify'
