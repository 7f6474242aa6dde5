import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'

// Builds the console when its sources are not those of the build that is there. `npm start` runs it before the service,
// which itself starts no other program. Each state of the sources has a folder of its own, which appears in one step, so
// that two starts at once, or a service that still serves the build before, get no half of anything.

const root = path.join(import.meta.dirname, '..')
const dist = path.join(root, 'console', 'dist')
const current = path.join(dist, 'current')
/** What the build is made from. The lock file stands for the packages. */
const SOURCES = [
  'console/{src,public}/**/*',
  'console/*.{html,json,ts}',
  'clients/typescript/{src/**/*,package.json}',
  'src/features/roles/texts/*.ts',
]
const OTHERS = ['src/features/console/paths.ts', 'src/lib/devices.ts', 'src/lib/languages.ts', 'package-lock.json']
/** A service that still runs goes on serving an older one. */
const BUILDS_KEPT = 3
/** Sources that are edited during a build are built once more. */
const TRIES_MAX = 3

if (process.env.CONSOLE_ENABLED?.trim() !== 'false') build()

function build(): void {
  if (!existsSync(path.join(root, 'console', 'index.html'))) return
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const state = stateOfSources()
    if (existsSync(current) && readFileSync(current, 'utf8') === state && existsSync(path.join(dist, state))) return
    if (!existsSync(path.join(root, 'node_modules', 'vite'))) {
      if (existsSync(current))
        console.error('The console is older than its sources: without Vite it is not built again.')
      return
    }
    const outcome = existsSync(path.join(dist, state)) ? 'built' : runVite(state)
    if (outcome === 'built') {
      replaceFile(current, state)
      removeOldBuilds(state)
      return
    }
    if (outcome === 'failed') break
  }
  process.exitCode = 1
}

function stateOfSources(): string {
  const hash = createHash('sha256')
  const files = [...SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root })), ...OTHERS].sort()
  for (const file of files) {
    const whole = path.join(root, file)
    if (statSync(whole).isFile()) hash.update(`${file}\0`).update(readFileSync(whole)).update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}

/** `changed`: someone has edited the sources meanwhile, so that what was built may be neither of both states. */
function runVite(state: string): 'built' | 'changed' | 'failed' {
  const began = performance.now()
  const folder = path.join(dist, `.${state}-${process.pid}`)
  mkdirSync(dist, { recursive: true })
  const build = spawnSync(process.execPath, [path.join(root, 'console', 'build.ts'), folder], { encoding: 'utf8' })
  const isChanged = stateOfSources() !== state
  if (build.status !== 0 || isChanged) rmSync(folder, { recursive: true, force: true })
  if (isChanged) return 'changed'
  if (build.status !== 0) {
    console.error(`The console could not be built:\n${build.stdout}${build.stderr}`)
    return 'failed'
  }
  try {
    renameSync(folder, path.join(dist, state))
    console.log(`Built the console in ${((performance.now() - began) / 1000).toFixed(1)} s`)
  } catch {
    // Another start has built the same in the meantime.
    rmSync(folder, { recursive: true, force: true })
  }
  return existsSync(path.join(dist, state)) ? 'built' : 'failed'
}

function replaceFile(file: string, text: string): void {
  const draft = `${file}-${process.pid}`
  writeFileSync(draft, text)
  renameSync(draft, file)
}

function removeOldBuilds(state: string): void {
  const builds = readdirSync(dist, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== state)
    .map(({ name }) => path.join(dist, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  for (const folder of builds.slice(BUILDS_KEPT - 1)) rmSync(folder, { recursive: true, force: true })
}
