import type { Problem } from '@tenantry/client'
import { confirmSignInByPasskey } from '../../api/passkeys.ts'
import { tenantry } from '../../api/tenantry.ts'
import { AuthFrame } from '../../shell/AuthFrame.tsx'
import { OtherWays, ProofField, useProof } from '../../shell/use-proof.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'

type SignedIn = Awaited<ReturnType<typeof tenantry.confirmSignIn>>

interface SecondFactorProps {
  /** Of a sign-in whose password was right. */
  challenge: Problem<'second_factor_required'>['challenge']
  onSignedIn: (state: SignedIn) => Promise<unknown>
  onBack: () => void
}

/** The second half of a sign-in: a passkey, a code of the authenticator app, or one of the recovery codes. */
export function SecondFactor({ challenge, onSignedIn, onBack }: SecondFactorProps) {
  const { secondFactor: t, proofs } = useTexts('auth')
  const { token, methods, passkeyOptions } = challenge
  const proof = useProof({
    methods: passkeyOptions ? methods : methods.filter((method) => method !== 'passkey'),
    byPasskey: async (init) =>
      passkeyOptions && onSignedIn(await confirmSignInByPasskey({ challenge: token, options: passkeyOptions }, init)),
    byCode: async (answer) => onSignedIn(await tenantry.confirmSignIn({ challenge: token, ...answer })),
  })
  const { form, way } = proof
  return (
    <AuthFrame
      title={t.title}
      intro={proofs[way].intro}
      foot={
        <Button variant="quiet" onClick={onBack}>
          {t.back}
        </Button>
      }
    >
      <Form form={form}>
        <ProofField proof={proof} />
        <FormButtons form={form} wide {...(way === 'passkey' && { icon: 'key', autoFocus: true })}>
          {way === 'passkey' ? proofs.passkey.label : t.submit}
        </FormButtons>
        <OtherWays proof={proof} />
      </Form>
    </AuthFrame>
  )
}
