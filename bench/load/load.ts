import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { hash } from '@node-rs/argon2'
import pg from 'pg'
import { migrate } from '../../src/database/migrate.ts'
import { type Postgres, startPostgres } from '../postgres.ts'
import { loadAuditRecords } from './audit.ts'
import { loadBetterAuth } from './better-auth.ts'
import { createPlan } from './plan.ts'
import type { Sizes } from './sizes.ts'
import { loadTenantry } from './tenantry.ts'
import { assertLoadedWell } from './verify.ts'

const root = path.join(import.meta.dirname, '../..')
const bench = path.join(root, 'bench')
const dataFolder = path.join(bench, 'data')

/** Databases that each run copies. */
export const templates = { tenantry: 'loaded_tenantry', betterAuth: 'loaded_better_auth' }
export const PASSWORD = 'Correct-horse-7'

export interface Loaded {
  dataDir: string
  /** Both products sign with it. */
  appSecret: string
}

/**
 * The folder of a PostgreSQL with loaded databases. It is kept for later runs, until a migration or the load changes.
 * Without `binDir` it is the embedded PostgreSQL.
 */
export async function ensureLoaded(sizes: Sizes, binDir: string | undefined): Promise<Loaded> {
  const kind = sizes.accounts.toString()
  const dataDir = path.join(dataFolder, `${kind}-${keyOf(sizes, binDir)}`)
  const secretFile = path.join(dataDir, 'app-secret')
  if (!existsSync(secretFile)) {
    removeOutdated(kind)
    mkdirSync(dataDir, { recursive: true })
    const appSecret = randomBytes(32).toString('base64url')
    await load(dataDir, sizes, binDir, appSecret)
    writeFileSync(secretFile, appSecret, { mode: 0o600 })
  }
  return { dataDir, appSecret: readFileSync(secretFile, 'utf8') }
}

/** Everything that decides what is loaded. */
function keyOf(sizes: Sizes, binDir = ''): string {
  const files = globSync(
    [
      'migrations/**/*.sql',
      'src/cli/seed/!(members).ts',
      'bench/load/*.ts',
      'bench/package.json',
      'src/access/system-roles.ts',
    ],
    { cwd: root },
  ).sort()
  const sum = createHash('sha256').update(JSON.stringify([sizes, binDir, files]))
  for (const file of files) sum.update(readFileSync(path.join(root, file)))
  return sum.digest('hex').slice(0, 12)
}

/** What was loaded for other versions would fill the disk. */
function removeOutdated(kind: string): void {
  const names = existsSync(dataFolder) ? readdirSync(dataFolder) : []
  for (const name of names.filter((name) => name.startsWith(`${kind}-`)))
    rmSync(path.join(dataFolder, name), { recursive: true, force: true })
}

async function load(dataDir: string, sizes: Sizes, binDir: string | undefined, appSecret: string): Promise<void> {
  const since = performance.now()
  const done = (what: string) => console.log(`  ${what}, ${Math.round((performance.now() - since) / 1000)} s`)
  console.log(
    `Loading ${sizes.accounts.toLocaleString('en')} accounts, ${sizes.companies.toLocaleString('en')} companies`,
  )
  const postgres = await startPostgres(dataDir, { binDir, isLoading: true })
  try {
    await inDatabase(postgres, templates.tenantry, sizes, async (client, url) => {
      await migrate({ connectionString: url })
      await loadTenantry(client, await hash(PASSWORD, { memoryCost: 19_456, timeCost: 2, parallelism: 1 }))
      done('Tenantry')
      await assertLoadedWell(client)
      done('checked')
      const { rows } = await client.query('select company_id as id from planned_companies where c = 2')
      const audit = { companyId: rows[0].id, count: sizes.auditRecords }
      await loadAuditRecords(client, { connectionString: url }, appSecret, audit)
      done('audit records')
    })
    await inDatabase(postgres, templates.betterAuth, sizes, async (client, url) => {
      await loadBetterAuth(client, migrateBetterAuth(url, appSecret))
      done('better-auth')
    })
  } finally {
    await postgres.stop()
  }
  execFileSync('sync')
}

async function inDatabase(
  postgres: Postgres,
  name: string,
  sizes: Sizes,
  work: (client: pg.Client, url: string) => Promise<void>,
): Promise<void> {
  await postgres.create(name)
  const url = postgres.urlOf(name)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await createPlan(client, sizes)
    await work(client, url)
  } finally {
    await client.end()
  }
}

/** Makes its tables in a process of its own. Returns the hash of PASSWORD. */
function migrateBetterAuth(url: string, secret: string): string {
  const env = { ...process.env, DATABASE_URL: url, SECRET: secret, PORT: '1', PASSWORD }
  const script = path.join(bench, 'servers/better-auth.mjs')
  return execFileSync(process.execPath, [script, 'migrate'], { env, encoding: 'utf8' })
    .trim()
    .split('\n')
    .at(-1) as string
}
