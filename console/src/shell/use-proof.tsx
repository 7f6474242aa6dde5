import { useState } from 'react'
import { canUsePasskeys } from '../api/passkeys.ts'
import { usePasskeyRequest } from '../api/use-passkey-request.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Button } from '../ui/Button.tsx'
import { PasswordField, TextField } from '../ui/Field.tsx'
import { type Form, useForm } from '../ui/use-form.ts'
import styles from './use-proof.module.css'

const ways = ['passkey', 'totp', 'recovery_code', 'password'] as const
type Way = (typeof ways)[number]

interface Proof {
  /** The one that is shown; the others are a button away. */
  way: Way
  others: Way[]
  choose: (way: Way) => void
  form: Form<{ answer: string }>
}

interface Proving {
  /** As the service names them. */
  methods: readonly string[]
  byPasskey: (init: { signal: AbortSignal }) => Promise<unknown>
  byCode: (answer: { code: string } | { recoveryCode: string }) => Promise<unknown>
  /** Left out where a password is no way. */
  byPassword?: (currentPassword: string) => Promise<unknown>
}

/** One form for every way in which people prove who they are: at the second step of a sign-in, and later on. */
export function useProof({ methods, byPasskey, byCode, byPassword }: Proving): Proof {
  const { proofs } = useTexts('auth')
  const named = ways.filter((way) => methods.includes(way))
  const usable = canUsePasskeys ? named : named.filter((way) => way !== 'passkey')
  const possible = usable.length > 0 ? usable : named
  const [way, setWay] = useState<Way>(possible[0] ?? 'password')
  const passkey = usePasskeyRequest()
  const form = useForm({
    initial: { answer: '' },
    check: ({ answer }) => ({ answer: way === 'passkey' || answer.trim() ? undefined : proofs[way].missing }),
    words: way === 'recovery_code' ? { second_factor_wrong: proofs.recovery_code.wrong } : {},
    fieldOf: { second_factor_wrong: 'answer', current_password_wrong: 'answer', validation_failed: 'answer' },
    submit: async ({ answer }) => {
      if (way === 'passkey') await passkey.ask(byPasskey)
      else if (way === 'password') await byPassword?.(answer)
      else await byCode(way === 'totp' ? { code: answer.replace(/\s/g, '') } : { recoveryCode: answer.trim() })
    },
  })
  const choose = (next: Way) => {
    passkey.giveUp()
    form.reset({ answer: '' })
    setWay(next)
  }
  return { way, others: possible.filter((each) => each !== way), choose, form }
}

/** What is typed. A passkey needs nothing but the button. */
export function ProofField({ proof: { way, form } }: { proof: Proof }) {
  const { proofs } = useTexts('auth')
  if (way === 'passkey') return null
  const { label } = proofs[way]
  if (way === 'password')
    return <PasswordField label={label} {...form.field('answer')} autoComplete="current-password" autoFocus />
  return (
    <TextField
      key={way}
      label={label}
      {...form.field('answer')}
      autoComplete={way === 'totp' ? 'one-time-code' : 'off'}
      inputMode={way === 'totp' ? 'numeric' : 'text'}
      autoCapitalize="none"
      spellCheck={false}
      autoFocus
    />
  )
}

export function OtherWays({ proof: { others, choose } }: { proof: Proof }) {
  const { proofs } = useTexts('auth')
  if (others.length === 0) return null
  return (
    <div className={styles.others}>
      {others.map((way) => (
        <Button key={way} variant="quiet" onClick={() => choose(way)}>
          {proofs[way].choose}
        </Button>
      ))}
    </div>
  )
}
