import type { Action } from '../steps.ts'

const AGES: Record<string, number> = {
  '11 minutes': 11,
  '20 minutes': 20,
  '2 hours': 120,
  '25 hours': 25 * 60,
  '4 days': 4 * 24 * 60,
  '8 days': 8 * 24 * 60,
  '31 days': 31 * 24 * 60,
}

/** Minutes more often than days, because a month ends all sessions. */
export const letTimePass: Action = (model, choices) => {
  const names = Object.keys(AGES)
  const name = choices.of([...names.slice(0, 4), ...names.slice(0, 3), ...names]) as string
  const minutes = AGES[name] as number
  return {
    text: `${name} pass`,
    async run({ real }) {
      await real.age(minutes)
      model.now += minutes
      return 'done'
    },
  }
}
