import type { Violation } from './response-checks.ts'
import type { World } from './world.ts'

const ERROR_LEVEL = 50

/** Checks the log of the batch: it has no errors and no secrets. */
export function logViolations({ service, secrets }: World): Violation[] {
  const text = service.logged.join('')
  const failures = service.logged.filter((line) => JSON.parse(line).level >= ERROR_LEVEL)
  const leaked = [...secrets].filter((secret) => text.includes(secret))
  return [
    ...failures.map((line) => ({ rule: 'no error in the log', about: line.slice(0, 1500) })),
    ...leaked.map((secret) => ({ rule: 'no secret in the log', about: lineWith(service.logged, secret) })),
  ]
}

const lineWith = (lines: string[], text: string) => (lines.find((line) => line.includes(text)) ?? '').slice(0, 500)
