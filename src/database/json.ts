// JSON that PostgreSQL writes as JSON.stringify does: no spaces, each column in its place, the same escapes.

/** SQL: the rows of a query as the text of a JSON array. The columns are the keys of its objects. */
export const jsonArrayOf = (query: string) =>
  `array_to_json(array(select row_to_json(item) from (${query}) item))::text`

/** SQL: a time as responses show it, in UTC with milliseconds. */
export const isoTime = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
