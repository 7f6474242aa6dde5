import type { z } from 'zod'

const VALUES_SHOWN_MAX = 40

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

/**
 * What is wrong with a field, said for people, where its schema has no sentence of its own: the words of the validation
 * library never leave the service.
 */
export function sentenceFor(issue: z.core.$ZodRawIssue): string {
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
    default:
      return NOT_ALLOWED
  }
}

const NOT_ALLOWED = 'has a format that isn’t allowed'

function oneOf(values: unknown[]): string {
  if (values.length === 1) return `must be ${values[0]}`
  return values.length <= VALUES_SHOWN_MAX ? `must be one of: ${values.join(', ')}` : 'is not one of the known values'
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
