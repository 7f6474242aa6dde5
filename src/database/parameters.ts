/** The value of a parameter as PostgreSQL reads it: bytes as they are, and everything else as text. */
export function encodeParameter(value: unknown): string | Buffer | null {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (typeof value !== 'object') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return Array.isArray(value) ? encodeArray(value) : JSON.stringify(value)
}

function encodeArray(values: unknown[]): string {
  return `{${values.map(encodeElement).join(',')}}`
}

function encodeElement(element: unknown): string {
  if (Array.isArray(element)) return encodeArray(element)
  const value = encodeParameter(element)
  if (value === null) return 'NULL'
  const text = typeof value === 'string' ? value : `\\x${value.toString('hex')}`
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}
