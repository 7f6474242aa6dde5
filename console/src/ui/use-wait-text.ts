import { SECONDS_MAX } from '../api/problems.ts'
import { useTexts } from '../texts/use-texts.ts'

/** On a button that works again after these seconds. */
export function useWaitText(): (seconds: number) => string {
  const t = useTexts('common')
  return (seconds) =>
    seconds > SECONDS_MAX ? t.waitMinutes({ minutes: Math.ceil(seconds / 60) }) : t.waitSeconds({ seconds })
}
