import type { z } from 'zod'

const VALUES_LISTED_MAX = 40
const KEYS_LISTED_MAX = 5
const KEY_LENGTH_MAX = 40

const typeNames: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const formatNames: Record<string, string> = {
  uuid: 'a UUID',
  guid: 'a UUID',
  email: 'a valid email address',
  url: 'an address such as https://example.com',
  datetime: 'an ISO 8601 timestamp',
}

/** The message for a field whose schema has none of its own. The messages of the validation library are never sent. */
export function validationMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? 'of another type'}`
    case 'invalid_value':
      return oneOf(issue.values as unknown[])
    case 'too_small':
      return Number(issue.minimum) === 1 && issue.origin === 'string'
        ? 'can’t be blank'
        : `must ${atLeast(issue.origin, Number(issue.minimum))}`
    case 'too_big':
      return `must ${atMost(issue.origin, Number(issue.maximum))}`
    case 'invalid_format':
      return formatNames[issue.format as string] ? `must be ${formatNames[issue.format as string]}` : NOT_ALLOWED
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.slice(0, KEYS_LISTED_MAX).map(shortened).join(', ')}`
    default:
      return NOT_ALLOWED
  }
}

const shortened = (key: string) => (key.length > KEY_LENGTH_MAX ? `${key.slice(0, KEY_LENGTH_MAX)}…` : key)

const NOT_ALLOWED = 'has a format that isn’t allowed'

function oneOf(values: unknown[]): string {
  if (values.length === 1) return `must be ${values[0]}`
  return values.length <= VALUES_LISTED_MAX ? `must be one of: ${values.join(', ')}` : 'is not one of the known values'
}

const atLeast = (origin: string, bound: number) =>
  isCounted(origin) ? `have at least ${counted(origin, bound)}` : `be ${bound} or more`

const atMost = (origin: string, bound: number) =>
  isCounted(origin) ? `have at most ${counted(origin, bound)}` : `be ${bound} or less`

const isCounted = (origin: string) => origin === 'string' || origin === 'array'

function counted(origin: string, count: number): string {
  const [one, many] = origin === 'array' ? ['entry', 'entries'] : ['character', 'characters']
  return `${count} ${count === 1 ? one : many}`
}
