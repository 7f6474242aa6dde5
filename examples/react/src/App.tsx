import { useSession, useTenantry } from '@tenantry/client/react'
import { Product } from './Product.tsx'
import { SignIn } from './SignIn.tsx'

/** What there is to see follows from who is signed in. */
export function App() {
  const session = useSession()
  if (session.status === 'unknown') return <Connecting />
  if (session.status === 'signed_out') return <SignIn ended={session.reason === 'ended'} />
  if (session.mustChangePassword) return <TemporaryPassword />
  return <Product session={session} />
}

function Connecting() {
  const { session } = useTenantry()
  return (
    <main>
      <p role="status">Connecting…</p>
      <button type="button" onClick={() => void session.restore().catch(() => {})}>
        Try again
      </button>
    </main>
  )
}

function TemporaryPassword() {
  const client = useTenantry()
  return (
    <main>
      <h1>Choose your own password</h1>
      <p>
        You signed in with a temporary password. <a href={import.meta.env.VITE_CONSOLE}>Replace it</a> first.
      </p>
      <button type="button" onClick={() => void client.session.reload()}>
        I’ve replaced it
      </button>
    </main>
  )
}
