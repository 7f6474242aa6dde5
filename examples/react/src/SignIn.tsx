import { Problem } from '@tenantry/client'
import { useTenantry } from '@tenantry/client/react'
import { useState } from 'react'

export function SignIn({ ended }: { ended: boolean }) {
  const client = useTenantry()
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function submit(form: FormData): Promise<void> {
    setBusy(true)
    setProblem(undefined)
    await client
      .signIn({ email: String(form.get('email')), password: String(form.get('password')) })
      .catch((error: unknown) => setProblem(say(error)))
    setBusy(false)
  }

  return (
    <main>
      <h1>On call</h1>
      {ended && <p role="status">Your session has ended. Sign in again.</p>}
      <form action={submit}>
        <label>
          Email address
          <input name="email" type="email" autoComplete="username" required />
        </label>
        <label>
          Password
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        {problem && <p role="alert">{problem}</p>}
        <button type="submit" disabled={busy}>
          Sign in
        </button>
      </form>
      <p>
        No account yet? <a href={`${import.meta.env.VITE_CONSOLE}/sign-up`}>Create one</a>.
      </p>
    </main>
  )
}

/** Problems have codes, so that each product says them in its own words. */
function say(error: unknown): string {
  if (!(error instanceof Problem)) return 'Something went wrong. Try again.'
  if (error.code === 'credentials_wrong') return 'Email address or password is incorrect.'
  if (error.retryAfter) return `Too many attempts. Try again in ${error.retryAfter} seconds.`
  return 'You can’t sign in right now. Try again in a moment.'
}
