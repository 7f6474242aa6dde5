import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { ZodError } from 'zod'
import { ConfigError } from './config-error.ts'
import { secret } from './settings.ts'

/** The secret in DATA_DIR. It is generated at the first start and stored, so that sessions outlive a restart. */
export function generatedSecret(dataDir: string): string {
  const file = path.join(dataDir, 'app-secret')
  try {
    if (!fs.existsSync(file)) storeNewSecret(file)
    return secret.parse(fs.readFileSync(file, 'utf8').trim())
  } catch (error) {
    const reason = error instanceof ZodError ? `${file} ${error.issues[0]?.message}` : (error as Error).message
    throw new ConfigError(`The secret that replaces APP_SECRET can't be stored in DATA_DIR: ${reason}`)
  }
}

/**
 * The file appears with its whole content. Of several processes that start at the same time the first one to link its
 * own file wins, and the others use that secret.
 */
function storeNewSecret(file: string): void {
  const temporary = `${file}.${randomUUID()}`
  fs.mkdirSync(path.dirname(file), { recursive: true })
  try {
    fs.writeFileSync(temporary, randomBytes(32).toString('base64url'), { mode: 0o600 })
    fs.linkSync(temporary, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    fs.rmSync(temporary, { force: true })
  }
}
