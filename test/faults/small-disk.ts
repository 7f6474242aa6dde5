import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const SIZE = '160m'

export interface SmallDisk {
  /** A folder on it. */
  folder: string
  fill(): void
  free(): void
}

/** A disk in memory of its own, which only root can make. */
export async function withSmallDisk<Result>(work: (disk: SmallDisk) => Promise<Result>): Promise<Result> {
  const mount = mkdtempSync(path.join(tmpdir(), 'tenantry-disk-'))
  run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=755`, 'tmpfs', mount])
  const folder = path.join(mount, 'postgres')
  const ballast = path.join(mount, 'ballast')
  mkdirSync(folder)
  try {
    return await work({ folder, fill: () => fill(ballast), free: () => rmSync(ballast, { force: true }) })
  } finally {
    run('umount', ['-l', mount])
    rmSync(mount, { recursive: true, force: true })
  }
}

function fill(file: string): void {
  const block = Buffer.alloc(64 * 1024)
  for (;;)
    try {
      writeFileSync(file, block, { flag: 'a' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return
      throw error
    }
}

function run(program: string, args: string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} failed, which only root may do: ${error?.message ?? stderr}`)
}
