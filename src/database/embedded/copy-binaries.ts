import { chmodSync, cpSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

interface CopyOptions {
  replace: boolean
  finish: (copy: string) => void
}

/** The copy appears whole or not at all, and is only ever written by us. */
export function copyPrograms(native: string, copy: string, { replace, finish }: CopyOptions): void {
  const fresh = mkdtempSync(`${copy}.`)
  try {
    cpSync(native, fresh, { recursive: true, verbatimSymlinks: true, filter: (file) => !file.endsWith('.a') })
    finish(fresh)
    openToAll(fresh)
    if (replace) rmSync(copy, { recursive: true, force: true })
    renameSync(fresh, copy)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    if (!isOurs(copy)) throw error // Otherwise another process was faster.
  }
  if (!isOurs(copy)) throw new Error(`${copy} was not made by this user`)
}

/** In a folder like /tmp anybody could have planted programs under this name for us to run. */
export function isOurs(copy: string): boolean {
  const found = lstatSync(copy, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0
}

/** An installation under umask 077 is private in every file, not only at the top. */
function openToAll(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    chmodSync(path, lstatSync(path).mode & 0o100 ? 0o755 : 0o644)
  }
}
