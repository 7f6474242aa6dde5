import type { CompanySummary, SessionState } from '@tenantry/client'
import { useTenantry } from '@tenantry/client/react'
import { useState } from 'react'
import { OnCall } from './OnCall.tsx'

type SignedIn = Extract<SessionState, { status: 'signed_in'; mustChangePassword: false }>

export function Product({ session: { account, companies, unopened } }: { session: SignedIn }) {
  const client = useTenantry()
  const [chosen, choose] = useState('')
  const isOpened = ({ id }: CompanySummary) => !unopened.includes(id)
  const company = companies.find(({ id }) => id === chosen) ?? companies.find(isOpened) ?? companies[0]
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
        {!company ? (
          <p>You’re not in any company yet.</p>
        ) : isOpened(company) ? (
          <OnCall key={company.id} companyId={company.id} />
        ) : (
          <Unopened key={company.id} company={company} />
        )}
      </main>
    </>
  )
}

/** Any company can add the account: nothing is read in one before the person wants it. */
function Unopened({ company: { id, name } }: { company: CompanySummary }) {
  const client = useTenantry()
  const [hasFailed, setFailed] = useState(false)
  const open = async () => {
    setFailed(false)
    await client.company(id).open()
  }
  return (
    <>
      <p>{name} added you. Open it only if you know who added you.</p>
      {hasFailed && <p role="alert">The company couldn’t be opened. Try again.</p>}
      <button type="button" onClick={() => void open().catch(() => setFailed(true))}>
        Open company
      </button>
    </>
  )
}
