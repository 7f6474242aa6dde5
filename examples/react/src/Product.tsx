import type { Account, CompanySummary } from '@tenantry/client'
import { useTenantry } from '@tenantry/client/react'
import { useState } from 'react'
import { OnCall } from './OnCall.tsx'

interface ProductProps {
  account: Account
  companies: readonly CompanySummary[]
}

export function Product({ account, companies }: ProductProps) {
  const client = useTenantry()
  const [chosen, choose] = useState('')
  const company = companies.find(({ id }) => id === chosen) ?? companies[0]
  return (
    <>
      <header>
        <label>
          Company
          <select value={company?.id} onChange={(event) => choose(event.target.value)}>
            {companies.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <span>{account.name}</span>
        <button type="button" onClick={() => void client.signOut().catch(() => {})}>
          Sign out
        </button>
      </header>
      <main>
        <h1>On call</h1>
        {/* Keyed, so that nothing of one company is ever shown in another. */}
        {company ? <OnCall key={company.id} companyId={company.id} /> : <p>You’re not in any company yet.</p>}
      </main>
    </>
  )
}
