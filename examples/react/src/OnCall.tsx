import type { Member } from '@tenantry/client'
import { useCan, useCompany } from '@tenantry/client/react'
import { useEffect, useState } from 'react'

const WEEK_MS = 7 * 24 * 3600 * 1000

/** The product’s own page: members take turns, a week each. */
export function OnCall({ companyId }: { companyId: string }) {
  const mayRead = useCan(companyId, 'users:read')
  const mayAdd = useCan(companyId, 'users:create')
  const members = useMembers(companyId, mayRead)
  if (!mayRead) return <p>Your roles in this company don’t include viewing members.</p>
  if (members === 'failed') return <p role="alert">The members couldn’t be loaded. Reload the page.</p>
  if (!members) return <p role="status">Loading…</p>
  const turn = Math.floor(Date.now() / WEEK_MS) % members.length
  return (
    <>
      <p>
        This week: <strong>{members[turn]?.name}</strong>
      </p>
      <ol aria-label="Rotation">
        {members.map(({ id, name }, index) => (
          <li key={id} aria-current={index === turn || undefined}>
            {name}
          </li>
        ))}
      </ol>
      {mayAdd && <a href={`${import.meta.env.VITE_CONSOLE}/c/${companyId}/members`}>Add members</a>}
    </>
  )
}

function useMembers(companyId: string, mayRead: boolean): Member[] | 'failed' | undefined {
  const company = useCompany(companyId)
  const [members, setMembers] = useState<Member[] | 'failed'>()
  useEffect(() => {
    if (!mayRead) return
    const reading = new AbortController()
    Array.fromAsync(company.members.list({ status: 'active' }, { signal: reading.signal })).then(setMembers, () => {
      if (!reading.signal.aborted) setMembers('failed')
    })
    return () => reading.abort()
  }, [company, mayRead])
  return members
}
