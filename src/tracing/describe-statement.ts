/** What a span says about a statement. Values are parameters and no part of its text. */
export interface StatementDescription {
  /** Such as `SELECT`. */
  operation: string
  /** Such as `SELECT sessions`: the same for many texts, so that spans can be grouped by it. */
  summary: string
  text: string
}

/** More texts than the service has; requests choose which ones the query builder composes. */
const REMEMBERED_MAX = 1000
const remembered = new Map<string, StatementDescription>()

export function describeStatement(sql: string): StatementDescription {
  const known = remembered.get(sql)
  if (known) return known
  const text = sql.trim().replace(/\s+/g, ' ')
  const operation = (/^\w+/.exec(text)?.[0] ?? '').toUpperCase()
  const [, target = ''] = /\b(?:from|into|^update)\s+"?([a-z_]+)/i.exec(text) ?? []
  const described = { operation, summary: [operation, target].filter(Boolean).join(' '), text }
  if (remembered.size < REMEMBERED_MAX) remembered.set(sql, described)
  return described
}
