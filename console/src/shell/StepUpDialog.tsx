import { stepUpByPasskey } from '../api/passkeys.ts'
import { tenantry, useSignedIn } from '../api/tenantry.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Form } from '../ui/Form.tsx'
import { SendButtons } from '../ui/SendButtons.tsx'
import { OtherWays, ProofField, useProof } from './use-proof.tsx'

interface StepUpProps {
  /** How the account can prove who it is. */
  methods: readonly string[]
  onAnswer: (isProved: boolean) => void
}

/** Asks for a fresh proof: a second factor, or the password where the account has none. */
export function StepUpDialog({ methods, onAnswer }: StepUpProps) {
  const { stepUp: t, proofs } = useTexts('auth')
  const { account } = useSignedIn()
  const done = () => onAnswer(true)
  const proof = useProof({
    methods,
    byPasskey: (init) => stepUpByPasskey(init).then(done),
    byCode: (answer) => tenantry.account.stepUp(answer).then(done),
    byPassword: (currentPassword) => tenantry.account.stepUp({ currentPassword }).then(done),
  })
  const { form, way } = proof
  return (
    <Dialog open sticky onClose={() => onAnswer(false)} title={t.title} intro={`${proofs[way].intro} ${t.intro}`}>
      <Form form={form}>
        <input type="email" autoComplete="username" value={account.email} readOnly hidden />
        <ProofField proof={proof} />
        <SendButtons
          form={form}
          onCancel={() => onAnswer(false)}
          {...(way === 'passkey' && { icon: 'key', autoFocus: true })}
        >
          {way === 'passkey' ? proofs.passkey.label : t.submit}
        </SendButtons>
        <OtherWays proof={proof} />
      </Form>
    </Dialog>
  )
}
