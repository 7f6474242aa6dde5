import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

// Adds entries for optional packages of other systems to the lock files, with their hashes and without addresses. npm leaves them
// out when its registry could not deliver them, and then refuses to install from such a file. With --check it fails when one is
// missing, or has no hash: npm would install whatever it is given there.

interface Entry {
  version?: string
  resolved?: string
  link?: boolean
  integrity?: string
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

const FILES = ['package-lock.json', 'bench/package-lock.json']
for (const file of FILES) complete(file, JSON.parse(readFileSync(file, 'utf8')))

function complete(file: string, lock: Lock): void {
  const missing = missingEntries(lock)
  const unhashed = Object.entries(lock.packages).filter(isUnhashed)
  const addresses = Object.entries(lock.packages).filter(([, { resolved }]) => resolved?.includes('://'))
  if (process.argv.includes('--check')) {
    for (const name of missing.keys()) console.error(`${file} lacks ${name}: npm run lock`)
    for (const [name] of unhashed) console.error(`${file} has no hash of ${name}: npm run lock`)
    for (const [name] of addresses) console.error(`${file} has the download address of ${name}`)
    if (missing.size + unhashed.length + addresses.length > 0) process.exitCode = 1
  } else {
    const packages = [...Object.entries(lock.packages), ...missing]
      .map(([path, entry]) => [path, isUnhashed([path, entry]) ? withHash(path, entry) : entry] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`)
  }
}

/** What comes from the registry; the folders of this repository do not. */
function isUnhashed([path, { link, integrity }]: [string, Entry]): boolean {
  return path.includes('node_modules/') && !link && integrity === undefined
}

function withHash(path: string, entry: Entry): Entry {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const integrity = execFileSync('npm', ['view', `${name}@${entry.version}`, 'dist.integrity'], {
    encoding: 'utf8',
  }).trim()
  if (!integrity.startsWith('sha512-')) throw new Error(`The registry gives no hash of ${name}@${entry.version}`)
  const { version, ...rest } = entry
  return { version, integrity, ...rest } as Entry
}

function missingEntries({ packages }: Lock): Map<string, Entry> {
  const missing = new Map<string, Entry>()
  for (const [path, { dev, optionalDependencies = {} }] of Object.entries(packages)) {
    if (path === '') continue
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const entry = `node_modules/${name}`
      if (entry in packages || `${path}/${entry}` in packages) continue
      missing.set(entry, { version, ...platformIn(name), ...(dev && { dev }), optional: true })
    }
  }
  return missing
}

/** The names of such packages contain the system that they are for. */
function platformIn(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const part = (pattern: RegExp) => pattern.exec(name)?.[0]
  const os = part(/android|darwin|linux|win32|freebsd|openharmony/)
  const cpu = part(/arm64|x64|ia32|riscv64|ppc64|s390x|arm|wasm32/)
  const libc = name.includes('-musl') ? 'musl' : os === 'linux' && name.includes('-gnu') ? 'glibc' : undefined
  return { ...(os && { os: [os] }), ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }) }
}
