import { useTexts } from '../../texts/use-texts.ts'
import { Checkbox } from '../../ui/Field.tsx'

interface Props {
  value: boolean
  onChange: (value: boolean) => void
  /** The person is signed in, and is so no more afterwards. */
  endsSession?: boolean
}

/** Beside a new password, which alone ends nothing of what an intruder has given. */
export function CompromisedField({ value, onChange, endsSession = false }: Props) {
  const { compromised } = useTexts('auth')
  const hint = endsSession ? `${compromised.hint} ${compromised.again}` : compromised.hint
  return <Checkbox label={compromised.label} hint={hint} checked={value} onChange={onChange} />
}
