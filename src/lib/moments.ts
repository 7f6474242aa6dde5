const EARLIEST = Date.parse('1900-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T00:00:00Z')

/** For timestamps in requests: PostgreSQL knows no year 0, and ISO 8601 writes no year behind 9999 with four digits. */
export const isWithinYears = (text: string): boolean => Date.parse(text) >= EARLIEST && Date.parse(text) <= LATEST

export const WITHIN_YEARS = 'must be between the years 1900 and 9999'
