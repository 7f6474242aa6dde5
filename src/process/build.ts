import { readFileSync } from 'node:fs'
import path from 'node:path'
import { isFunction, readMigrations } from '../database/migration-files.ts'

const PACKAGE = path.join(import.meta.dirname, '..', '..', 'package.json')

/** What runs, for the log and for metrics. `migration`: the last one that this version knows. */
export interface Build {
  version: string
  node: string
  migration: string
}

export function readBuild(): Build {
  const { version }: { version: string } = JSON.parse(readFileSync(PACKAGE, 'utf8'))
  const last = readMigrations().findLast((file) => !isFunction(file))
  return { version, node: process.versions.node, migration: last ? path.basename(last.name, '.sql') : '' }
}
