import { useTexts } from '../../texts/use-texts.ts'
import type { Choice } from '../../ui/Field.tsx'

const HOUR = 60
const DAY = 24 * HOUR

/** Of what the service allows, what people choose. */
const MAX_AGE_HOURS = [1, 4, 8, 12, 24, 72, 168, 720]
const IDLE_MINUTES = [15, 30, 60, 240, 480, 1440, 10_080]
const STEP_UP_MINUTES = [5, 10, 15, 30, 60, 240, 1440]

export function useDurations() {
  const { sessions: t } = useTexts('policy')
  /** In the largest unit that says it in whole numbers. */
  const minutes = (count: number): string => {
    if (count % DAY === 0) return t.days({ count: count / DAY })
    return count % HOUR === 0 ? t.hours({ count: count / HOUR }) : t.minutes({ count })
  }
  const hours = (count: number) => minutes(count * HOUR)
  const choices = (
    present: string,
    { none, values, say }: { none: string; values: number[]; say: (count: number) => string },
  ): Choice[] => [
    { value: '', label: none },
    // Also one that was set by a program.
    ...[...new Set(present === '' ? values : [...values, Number(present)])]
      .sort((one, other) => one - other)
      .map((value) => ({ value: String(value), label: say(value) })),
  ]
  return {
    minutes,
    hours,
    maxAge: (present: string) => choices(present, { none: t.never, values: MAX_AGE_HOURS, say: hours }),
    idle: (present: string) => choices(present, { none: t.never, values: IDLE_MINUTES, say: minutes }),
    stepUp: (present: string) => choices(present, { none: t.stepUpNever, values: STEP_UP_MINUTES, say: minutes }),
  }
}
