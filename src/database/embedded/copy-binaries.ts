import { chmodSync, cpSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

interface CopyOptions {
  /** Whether an existing copy is replaced. */
  replace: boolean
  /** Called with the temporary folder before it becomes the copy. */
  finish: (folder: string) => void
}

/**
 * Copies the PostgreSQL installation in `native` to the folder `copy`. The copy is complete or absent at every moment,
 * because it is made under another name and renamed. Throws when another OS user owns the copy.
 */
export function copyBinaries(native: string, copy: string, { replace, finish }: CopyOptions): void {
  const fresh = mkdtempSync(`${copy}.`)
  try {
    cpSync(native, fresh, { recursive: true, verbatimSymlinks: true, filter: (file) => !file.endsWith('.a') })
    finish(fresh)
    makeReadable(fresh)
    if (replace) rmSync(copy, { recursive: true, force: true })
    renameSync(fresh, copy)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    if (!isOwnCopy(copy)) throw error // Otherwise another process has made the copy in the meantime.
  }
  if (!isOwnCopy(copy)) throw new Error(`${copy} was not made by this user`)
}

/**
 * False for a folder that another user made or can write: in a shared folder such as /tmp it could hold hostile
 * programs.
 */
export function isOwnCopy(copy: string): boolean {
  const stats = lstatSync(copy, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0
}

/**
 * Lets every user read and run the copy. An npm install under umask 077 makes every file private, not only the top
 * folder.
 */
function makeReadable(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    chmodSync(path, lstatSync(path).mode & 0o100 ? 0o755 : 0o644)
  }
}
