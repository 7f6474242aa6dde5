import { Problem } from '@tenantry/client'
import { useTenantry } from '@tenantry/client/react'
import { useState } from 'react'
import { type Challenge, SecondFactor } from './SecondFactor.tsx'
import { say } from './say.ts'

export function SignIn({ ended }: { ended: boolean }) {
  const [challenge, setChallenge] = useState<Challenge>()
  return (
    <main>
      <h1>On call</h1>
      {challenge ? (
        <SecondFactor challenge={challenge} onBack={() => setChallenge(undefined)} />
      ) : (
        <Password ended={ended} onChallenge={setChallenge} />
      )}
    </main>
  )
}

function Password({ ended, onChallenge }: { ended: boolean; onChallenge: (challenge: Challenge) => void }) {
  const client = useTenantry()
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function submit(form: FormData): Promise<void> {
    setBusy(true)
    setProblem(undefined)
    await client
      .signIn({ email: String(form.get('email')), password: String(form.get('password')) })
      .catch((error: unknown) => {
        // The password was right, and the account has a second factor.
        if (error instanceof Problem && error.code === 'second_factor_required') onChallenge(error.challenge)
        else setProblem(say(error))
      })
    setBusy(false)
  }

  return (
    <>
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
        <a href={`${import.meta.env.VITE_CONSOLE}/reset-password`}>Forgot your password?</a>
      </p>
      <p>
        No account yet? <a href={`${import.meta.env.VITE_CONSOLE}/sign-up`}>Create one</a>.
      </p>
    </>
  )
}
