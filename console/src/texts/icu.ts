/**
 * As much of ICU's message syntax as the texts of the console use: `{name}`, `{count, number}`, `plural` with `#`, and
 * `select`. Emails use the whole of it, by a library that is three times as large as everything else on the sign-in page;
 * a test compares the two on every message.
 */
export type Values = Record<string, string | number>

type Part =
  | string
  | { argument: string; type: 'plain' | 'number' | 'count'; forms?: undefined }
  | { argument: string; type: 'plural' | 'select'; forms: Record<string, Part[]> }

/** Parses once; what is returned writes the message for the values of one occasion. */
export function compile(message: string, language: string): (values: Values) => string {
  const parts = parse({ text: message, at: 0 })
  const rules = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  const write = (part: Part, values: Values, counted: number): string => {
    if (typeof part === 'string') return part
    if (part.type === 'count') return numbers.format(counted)
    const value = values[part.argument]
    if (value === undefined) throw new Error(`“${message}” lacks ${part.argument}`)
    if (part.forms === undefined) return part.type === 'plain' ? String(value) : numbers.format(Number(value))
    const chosen = part.type === 'select' ? String(value) : (exactly(part.forms, value) ?? rules.select(Number(value)))
    const form = part.forms[chosen] ?? part.forms.other ?? []
    const inner = part.type === 'plural' ? Number(value) : counted
    return form.map((each) => write(each, values, inner)).join('')
  }
  return (values) => parts.map((part) => write(part, values, 0)).join('')
}

const exactly = (forms: Record<string, Part[]>, value: string | number) =>
  Object.hasOwn(forms, `=${value}`) ? `=${value}` : undefined

interface Cursor {
  text: string
  at: number
}

function parse(cursor: Cursor, inPlural = false): Part[] {
  const parts: Part[] = []
  while (cursor.at < cursor.text.length && cursor.text[cursor.at] !== '}') {
    const [plain] = take(cursor, inPlural ? /^[^{}#]+/ : /^[^{}]+/) ?? []
    if (plain) parts.push(plain)
    else if (cursor.text[cursor.at] === '{') parts.push(parseArgument(cursor, inPlural))
    else if (take(cursor, /^#/)) parts.push({ argument: '', type: 'count' })
  }
  return parts
}

function parseArgument(cursor: Cursor, inPlural: boolean): Part {
  const [, argument = '', type = 'plain'] = required(cursor, /^\{\s*(\w+)\s*(?:,\s*(number|plural|select)\s*,?\s*)?/)
  const forms: Record<string, Part[]> = {}
  while (!take(cursor, /^\}/)) {
    const [, name = ''] = required(cursor, /^(=?\w+)\s*\{/)
    forms[name] = parse(cursor, inPlural || type === 'plural')
    required(cursor, /^\}\s*/)
  }
  return type === 'plain' || type === 'number'
    ? { argument, type }
    : { argument, type: type as 'plural' | 'select', forms }
}

function take(cursor: Cursor, pattern: RegExp): RegExpExecArray | null {
  const found = pattern.exec(cursor.text.slice(cursor.at))
  cursor.at += found?.[0].length ?? 0
  return found
}

function required(cursor: Cursor, pattern: RegExp): RegExpExecArray {
  const found = take(cursor, pattern)
  if (!found) throw new Error(`“${cursor.text}” can’t be read from character ${cursor.at} on`)
  return found
}
