import { stepUpByPasskey } from '../api/passkeys.ts'
import { tenantry, useSignedIn } from '../api/tenantry.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Form, FormButtons } from '../ui/Form.tsx'
import { OtherWays, ProofField, useProof } from './use-proof.tsx'

interface StepUpProps {
  /** How the account can prove who it is. */
  methods: readonly string[]
  onAnswer: (isProved: boolean) => void
}

/** Asks for a fresh proof: a second factor, or the password where the account has none. */
export function StepUpDialog({ methods, onAnswer }: StepUpProps) {
  const { stepUp: t, proofs } = useTexts('auth')
  const common = useTexts('common')
  const { account } = useSignedIn()
  const done = () => onAnswer(true)
  const proof = useProof({
    methods,
    byPasskey: () => stepUpByPasskey().then(done),
    byCode: (answer) => tenantry.account.stepUp(answer).then(done),
    byPassword: (currentPassword) => tenantry.account.stepUp({ currentPassword }).then(done),
  })
  const { form, way } = proof
  return (
    <Dialog open sticky onClose={() => onAnswer(false)} title={t.title} intro={`${proofs[way].intro} ${t.intro}`}>
      <Form form={form}>
        <input type="email" autoComplete="username" value={account.email} readOnly hidden />
        <ProofField proof={proof} />
        <FormButtons
          form={form}
          beside={<Button onClick={() => onAnswer(false)}>{common.cancel}</Button>}
          {...(way === 'passkey' && { icon: 'key', autoFocus: true })}
        >
          {way === 'passkey' ? proofs.passkey.label : t.submit}
        </FormButtons>
        <OtherWays proof={proof} />
      </Form>
    </Dialog>
  )
}
