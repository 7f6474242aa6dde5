import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Where `npm start` puts builds: one folder for each state of the sources, and the file that names the current one. */
const DIST = path.join(import.meta.dirname, '..', '..', '..', 'console', 'dist')

/** What every build has. */
const PARTS = ['index.html', 'scheme.js', 'assets']

/** What a browser loads: a document and the files that it names. */
export interface ConsoleBuild {
  /** index.html, with places for what only the service knows. */
  document: string
  /** Its first script, which runs before anything is drawn. */
  scheme: string
  /** The absolute path of the files, whose names change with their content. */
  assets: string
}

/** Undefined: the console is not built. */
export function findConsoleBuild(dist = DIST): ConsoleBuild | undefined {
  const current = path.join(dist, 'current')
  if (!existsSync(current)) return undefined
  const folder = path.join(dist, readFileSync(current, 'utf8').trim())
  // A copy that stopped half-way must not keep the API from starting.
  if (PARTS.some((name) => !existsSync(path.join(folder, name)))) return undefined
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
  return { document: read('index.html'), scheme: read('scheme.js'), assets: path.join(folder, 'assets') }
}
