import { readFileSync, writeFileSync } from 'node:fs'

// npm leaves optional packages out of the lock file that its registry could not give when it was written, such as the
// programs for other systems, and then refuses to install from it. This writes their entries, without addresses; with
// --check it only tells whether one is missing.

interface Entry {
  version?: string
  resolved?: string
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}
interface Lock {
  packages: Record<string, Entry>
}

const FILE = 'package-lock.json'
const lock: Lock = JSON.parse(readFileSync(FILE, 'utf8'))
const missing = missingEntries(lock)
const addresses = Object.entries(lock.packages).filter(([, { resolved }]) => resolved?.includes('://'))

if (process.argv.includes('--check')) {
  for (const name of missing.keys()) console.error(`${FILE} lacks ${name}: npm run lock`)
  for (const [name] of addresses) console.error(`${FILE} records where ${name} came from`)
  if (missing.size + addresses.length > 0) process.exitCode = 1
} else {
  const packages = [...Object.entries(lock.packages), ...missing].sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(FILE, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`)
}

function missingEntries({ packages }: Lock): Map<string, Entry> {
  const found = new Map<string, Entry>()
  for (const [place, { dev, optionalDependencies = {} }] of Object.entries(packages)) {
    if (place === '') continue
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const entry = `node_modules/${name}`
      if (entry in packages || `${place}/${entry}` in packages) continue
      found.set(entry, { version, ...platformIn(name), ...(dev && { dev }), optional: true })
    }
  }
  return found
}

/** Such packages are named by the system that they are for. */
function platformIn(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const part = (pattern: RegExp) => pattern.exec(name)?.[0]
  const os = part(/android|darwin|linux|win32|freebsd|openharmony/)
  const cpu = part(/arm64|x64|ia32|riscv64|ppc64|s390x|arm|wasm32/)
  const libc = name.includes('-musl') ? 'musl' : os === 'linux' && name.includes('-gnu') ? 'glibc' : undefined
  return { ...(os && { os: [os] }), ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }) }
}
