import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** better-auth is installed in bench/ alone, when it is missing, so that other installations do without it. */
export function ensurePeer(): string {
  const version = installedVersion()
  if (version) return version
  console.log('Installing better-auth in bench/ …')
  spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const installed = installedVersion()
  if (!installed)
    throw new Error('better-auth is missing, and `npm ci` in bench/ could not install it. Nothing was measured.')
  return installed
}

/** Undefined: it is missing, or another version than the one in bench/package.json. */
function installedVersion(): string | undefined {
  const read = (file: string) => JSON.parse(readFileSync(path.join(import.meta.dirname, file), 'utf8'))
  try {
    const { version } = read('node_modules/better-auth/package.json')
    return version === read('package.json').dependencies['better-auth'] ? version : undefined
  } catch {
    return undefined
  }
}
