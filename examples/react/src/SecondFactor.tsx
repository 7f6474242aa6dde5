import type { Problem } from '@tenantry/client'
import { useTenantry } from '@tenantry/client/react'
import { useState } from 'react'
import { say } from './say.ts'

export type Challenge = Problem<'second_factor_required'>['challenge']

interface SecondFactorProps {
  /** Of a sign-in whose password was right. */
  challenge: Challenge
  onBack: () => void
}

/** By a code of an authenticator app, or a recovery code. A passkey is bound to the address of the service, so it is not for this page. */
export function SecondFactor({ challenge: { token, methods }, onBack }: SecondFactorProps) {
  const hasApp = methods.includes('totp')
  return (
    <>
      {!hasApp && <PasskeyAlone />}
      {hasApp && <Code label="Code from your authenticator app, or a recovery code" token={token} />}
      {!hasApp && methods.includes('recovery_code') && <Code label="Recovery code" token={token} />}
      <button type="button" onClick={onBack}>
        Use another account
      </button>
    </>
  )
}

function Code({ label, token }: { label: string; token: string }) {
  const client = useTenantry()
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function submit(form: FormData): Promise<void> {
    setBusy(true)
    setProblem(undefined)
    const typed = String(form.get('code')).replace(/\s/g, '')
    const answer = /^\d{6}$/.test(typed) ? { code: typed } : { recoveryCode: typed }
    await client.confirmSignIn({ challenge: token, ...answer }).catch((error: unknown) => setProblem(say(error)))
    setBusy(false)
  }

  return (
    <form action={submit}>
      <label>
        {label}
        <input name="code" autoComplete="one-time-code" autoCapitalize="none" spellCheck={false} required />
      </label>
      {problem && <p role="alert">{problem}</p>}
      <button type="submit" disabled={busy}>
        Confirm
      </button>
    </form>
  )
}

const PasskeyAlone = () => (
  <p role="alert">
    Your account asks for a passkey, which doesn’t work on this page. Add an authenticator app in{' '}
    <a href={`${import.meta.env.VITE_CONSOLE}/account/security`}>your account</a>, and sign in here with its codes.
  </p>
)
