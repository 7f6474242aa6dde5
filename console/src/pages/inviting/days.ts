import { useTexts } from '../../texts/use-texts.ts'
import type { Choice } from '../../ui/Field.tsx'

/** How long invitations and links are valid. */
export function useDayChoices(): Choice[] {
  const { days } = useTexts('inviting').invite
  return [1, 3, 7, 14, 30].map((count) => ({ value: String(count), label: days({ count }) }))
}
