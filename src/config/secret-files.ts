import { readFileSync, statSync } from 'node:fs'

/** Settings that contain a secret. Each can be read from the file that `<NAME>_FILE` names, as container platforms mount it. */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'MIGRATE_DATABASE_URL',
  'REDIS_URL',
  'APP_SECRET',
  'APP_SECRET_PREVIOUS',
  'SMTP_URL',
  'SWAGGER_PASSWORD',
] as const

const BYTES_MAX = 65_536

type Variables = Record<string, string | undefined>

/** Adds what the files contain. Each error is one line that names the variable, and never the content of its file. */
export function withSecretFiles(variables: Variables): { variables: Variables; errors: string[] } {
  const read: Variables = {}
  const errors: string[] = []
  for (const name of SECRET_SETTINGS) {
    const file = variables[`${name}_FILE`]
    if (file === undefined) continue
    if (variables[name] === undefined) {
      const result = readSecret(file)
      if ('text' in result) read[name] = result.text
      else errors.push(`${name}_FILE ${result.error}`)
    } else errors.push(`${name}_FILE is set together with ${name}: set one of them`)
  }
  return { variables: { ...variables, ...read }, errors }
}

/** Programs that write such files often end them with a line break, which is no part of the secret. */
function readSecret(file: string): { text: string } | { error: string } {
  try {
    const found = statSync(file)
    if (!found.isFile()) return { error: 'names no file' }
    if (found.size > BYTES_MAX) return { error: `names a file of more than ${BYTES_MAX} bytes` }
    const text = readFileSync(file, 'utf8').trim()
    return text === '' ? { error: 'names an empty file' } : { text }
  } catch (error) {
    return { error: `names a file that can't be read: ${(error as NodeJS.ErrnoException).code}` }
  }
}
