import type pg from 'pg'
import type { Target } from './connection-settings.ts'
import { findSchemaState } from './migrate.ts'
import { openMigrationClient } from './migration-client.ts'
import { assertOwned, previewRepair } from './rights.ts'
import { assertCanUseRoles, assertNoBypass, assertNoOtherInstallation, isPublic, ROLES } from './roles.ts'
import { COUNT_SEALED } from './sealed-columns.ts'
import { KEYS_IN_USE, type KeyInUse, type NodeKeys, RUNNING_NODES, refusedKeys, whyForeign } from './service-key.ts'
import { assertSuitable } from './suitability.ts'

/** What became of one check: `fix` is corrected by the next start, `failed` stops it. */
export type CheckStatus = 'ok' | 'warning' | 'fix' | 'failed'

export interface Finding {
  check: string
  status: CheckStatus
  message: string
  /** Such as the statements that a start would run. */
  details: string[]
}

export const finding = (check: string, status: CheckStatus, message: string, details: string[] = []): Finding => ({
  check,
  status,
  message,
  details,
})

/**
 * Compares the database with what a start needs, in the order of a start and by the same code, and changes nothing. What comes
 * after a check that fails is not looked at, as a start would not come there. `acceptedKids`: the keys that can
 * open what is stored sealed; undefined: that is not looked at.
 */
export async function inspectDatabase(target: Target, acceptedKids?: string[]): Promise<Finding[]> {
  const client = await openMigrationClient(target)
  const findings: Finding[] = []
  let missingRoles: string[] = []
  const checks: [string, () => Promise<Finding[]>][] = [
    ['server', () => inspectServer(client)],
    ['connect', () => inspectConnect(client)],
    [
      'roles',
      async () => {
        missingRoles = await assertCanUseRoles(client)
        return inspectRoles(client, missingRoles)
      },
    ],
    ['migrations', () => inspectMigrations(client)],
    ['rights', () => inspectRights(client, missingRoles)],
    ['secrets', async () => (acceptedKids ? inspectSecrets(client, acceptedKids) : [])],
  ]
  try {
    await client.query('set default_transaction_read_only = on')
    for (const [name, check] of checks) {
      const found = await check().catch((error: Error) => [finding(name, 'failed', error.message)])
      findings.push(...found)
      if (found.some(({ status }) => status === 'failed')) break
      if (name === 'migrations' && found.some(({ status, message }) => status === 'fix' || message === BESIDE_NEWER))
        break
    }
    return findings
  } finally {
    await client.end()
  }
}

/** Whether the schema is the one of this version; undefined: it is. Otherwise one sentence that says what helps. */
export async function findOutdatedSchema(target: Target): Promise<string | undefined> {
  const client = await openMigrationClient(target)
  try {
    const { upgrade } = await findSchemaState(client)
    return upgrade.length > 0
      ? `The database is not at the schema of this version, which has ${upgrade.length} more files: npm run -s tenantry -- migrate`
      : undefined
  } finally {
    await client.end()
  }
}

async function inspectServer(client: pg.Client): Promise<Finding[]> {
  const warnings: string[] = []
  const warn = (...parts: unknown[]) => void warnings.push(String(parts.at(-1)))
  await assertSuitable(client, { info: warn, warn })
  const { rows } = await client.query(`select current_setting('server_version') as version, current_database() as name`)
  const [{ version, name }] = rows
  return [
    finding('server', 'ok', `PostgreSQL ${version.split(' ')[0]}, database ${name}`),
    ...warnings.map((message) => finding('server', 'warning', message)),
  ]
}

async function inspectConnect(client: pg.Client): Promise<Finding[]> {
  return (await isPublic(client))
    ? [finding('connect', 'fix', 'every role of the server can connect: a start revokes CONNECT from PUBLIC')]
    : [finding('connect', 'ok', 'only roles with a grant of their own can connect')]
}

async function inspectRoles(client: pg.Client, missing: string[]): Promise<Finding[]> {
  await assertOwned(client)
  await assertNoBypass(client)
  await assertNoOtherInstallation(client)
  return missing.length > 0
    ? [finding('roles', 'fix', `roles are missing: a start creates ${missing.join(', ')}`)]
    : [finding('roles', 'ok', `${ROLES.length} roles, none of which can bypass row-level security`)]
}

/** Rights are the affair of the newer version then, as for a start. */
const BESIDE_NEWER = 'a newer version has migrated the database, and this one runs beside it'

async function inspectMigrations(client: pg.Client): Promise<Finding[]> {
  const { upgrade, isNewer } = await findSchemaState(client)
  const names = upgrade.map(({ name }) => name)
  if (isNewer) return [finding('migrations', 'ok', BESIDE_NEWER)]
  return names.length > 0
    ? [finding('migrations', 'fix', `${names.length} are missing: a start runs them`, names)]
    : [finding('migrations', 'ok', 'the schema is the one of this version')]
}

async function inspectRights(client: pg.Client, missingRoles: string[]): Promise<Finding[]> {
  if (missingRoles.length > 0) return [finding('rights', 'fix', 'a start gives the roles that it creates their rights')]
  const { restored, revoked } = await previewRepair(client)
  if (restored.length + revoked.length === 0)
    return [finding('rights', 'ok', 'grants and policies are as the migrations say')]
  const message = 'grants or policies differ from the migrations: a start runs these statements'
  return [finding('rights', 'fix', message, [...revoked, ...restored])]
}

/** A node that starts with another secret than the others have signs what none of them accepts. */
async function inspectSecrets(client: pg.Client, acceptedKids: string[]): Promise<Finding[]> {
  const { rows: inUse } = await client.query<KeyInUse>(KEYS_IN_USE, [acceptedKids])
  const { rows: nodes } = await client.query<NodeKeys>(RUNNING_NODES)
  const reason = whyForeign({ inUse, nodes }, acceptedKids)
  const wrong = reason ? [reason] : refusedKeys(inUse, acceptedKids)
  const sealed = await inspectSealed(client, acceptedKids)
  const isTold = wrong.length > 0
  return [
    ...wrong.map((message) => finding('secrets', 'failed', message)),
    ...sealed.filter(({ status }) => !isTold || status !== 'ok'),
  ]
}

/** A start needs none of these values; the requests that do would fail. */
async function inspectSealed(client: pg.Client, acceptedKids: string[]): Promise<Finding[]> {
  const { rows } = await client.query<{ kid: string; count: number }>(COUNT_SEALED)
  const accepted = new Set(acceptedKids.map((kid) => Buffer.from(kid, 'base64url').toString('hex')))
  const closed = rows.filter(({ kid }) => !accepted.has(kid)).reduce((sum, { count }) => sum + count, 0)
  return closed > 0
    ? [finding('secrets', 'warning', `${closed} stored secrets can’t be opened by APP_SECRET or APP_SECRET_PREVIOUS`)]
    : [finding('secrets', 'ok', 'APP_SECRET opens what is stored sealed')]
}
