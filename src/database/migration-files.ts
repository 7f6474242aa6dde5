import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

export interface Migration {
  /** `0002_companies.sql`, or `functions/open_company.sql`. */
  name: string
  sql: string
  /** SHA-256 of the text, in hexadecimal. */
  checksum: string
  /** Whether the version before keeps working beside it; only what the first line calls `expand` is. */
  kind: 'expand' | 'contract'
}

const FOLDER = path.join(import.meta.dirname, '..', '..', 'migrations')

/** All files of the schema, in the order in which an empty database runs them: migrations, then functions. */
export const readMigrations = (): Migration[] => [...filesIn(''), ...filesIn('functions/')]

export const isFunction = ({ name }: { name: string }) => name.startsWith('functions/')

function filesIn(folder: string): Migration[] {
  const names = fs.readdirSync(path.join(FOLDER, folder)).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => {
    const sql = fs.readFileSync(path.join(FOLDER, folder, name), 'utf8')
    const checksum = createHash('sha256').update(sql).digest('hex')
    return { name: folder + name, sql, checksum, kind: sql.startsWith('-- expand:') ? 'expand' : 'contract' }
  })
}
