import { useTexts } from '../../texts/use-texts.ts'
import { Checkbox } from '../../ui/Field.tsx'

interface Props {
  value: boolean
  onChange: (value: boolean) => void
}

/** Beside a new password, which alone ends nothing of what an intruder has given. */
export function CompromisedField({ value, onChange }: Props) {
  const { compromised } = useTexts('auth')
  return <Checkbox label={compromised.label} hint={compromised.hint} checked={value} onChange={onChange} />
}
