import fs from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { MigrationError } from './migration-error.ts'
import { type Right, readRights } from './rights-catalogue.ts'
import type { BootLog } from './suitability.ts'

/**
 * What the roles of the service may do, and which rows they see: for each table and function the statements that make
 * it so. Triggers, constraints and unique indexes stand there without a statement: they only have to exist. `npm run rights`
 * writes rights.json from the migrations.
 */
export type Rights = Record<string, string[]>

export const RIGHTS_FILE = path.join(import.meta.dirname, 'rights.json')

interface State {
  expected: Rights
  rights: Right[]
}

interface Differences {
  missing: string[]
  superfluous: Right[]
}

/** More than one, because revoking a right on a table also revokes it on columns, which the next pass grants again. */
const PASSES_MAX = 3

/**
 * Makes the rights in the database those of the migrations, and logs the differences. A restored dump may lack grants
 * and policies, and a superfluous right would stay unnoticed. Objects that the migrations do not make are left alone.
 * Throws a MigrationError with the statements for a superuser when the service's own role can't make the changes.
 */
export async function repairRights(client: pg.Client, log: BootLog, rightsFile = expectedRights()): Promise<void> {
  let state: State = { expected: rightsFile, rights: await readRights(client) }
  for (let pass = 1; !areNone(differencesOf(state)); pass++) {
    if (pass > PASSES_MAX) throw unrepairable(differencesOf(state))
    const { repaired, ...next } = await repairOnce(client, state)
    state = next
    const { missing: restored, superfluous } = repaired
    const revoked = superfluous.map(({ statement }) => statement)
    if (areNone(repaired))
      log.info('this PostgreSQL writes policies in another form than rights.json: they are the same')
    else log.warn({ restored, revoked }, 'rights in the database differed from the migrations: repaired')
  }
}

/** All rights in the database, by object. */
export async function rightsOf(client: pg.Client): Promise<Rights> {
  const rights: Rights = {}
  for (const { object, statement } of await readRights(client)) {
    rights[object] = [...(rights[object] ?? []), ...(statement ? [statement] : [])]
  }
  return rights
}

/** The statements that a start would run. */
export interface RightsPreview {
  restored: string[]
  revoked: string[]
}

/** What `repairRights` would do: tries it in a transaction that is rolled back, and waits for no lock. */
export async function previewRepair(client: pg.Client, rightsFile = expectedRights()): Promise<RightsPreview> {
  const state: State = { expected: rightsFile, rights: await readRights(client) }
  if (areNone(differencesOf(state))) return { restored: [], revoked: [] }
  await client.query(`begin read write; set local lock_timeout = '1s'`)
  try {
    const { expected } = await repairedState(client, state)
    // Without policies that this server only spells otherwise.
    const { missing, superfluous } = differencesOf({ expected, rights: state.rights })
    const undo = superfluous.map((right) => right.undo ?? right.statement ?? '')
    return { restored: missing, revoked: undo }
  } finally {
    await client.query('rollback')
  }
}

const expectedRights = (): Rights => JSON.parse(fs.readFileSync(RIGHTS_FILE, 'utf8'))

/** A dump that a superuser has restored may belong to that superuser, `security definer` functions included. */
export async function assertOwned(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select object, quote_ident(session_user) as user, quote_ident(current_database()) as database,
       format('ALTER %s OWNER TO %I;', object, session_user) as command
     from (
       select 'table ' || quote_ident(relname) as object, relowner as owner from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
       union all
       select 'function ' || oid::regprocedure::text, proowner from pg_proc where pronamespace = 'public'::regnamespace) objects
     where object = any ($1) and not pg_has_role(session_user, owner, 'usage') order by object`,
    [[...Object.keys(expectedRights()), 'table schema_migrations']],
  )
  if (rows.length === 0) return
  const [{ object, user, database }] = rows
  throw new MigrationError(
    `Role ${user} does not own everything in database ${database}, such as ${object}. Restore the dump with ` +
      `pg_restore --no-owner --role=${user}, or, as a superuser in ${database}: ${rows.map(({ command }) => command).join(' ')}`,
  )
}

function differencesOf({ expected, rights }: State): Differences {
  const objects = new Set(rights.map(({ object }) => object))
  const absent = Object.keys(expected).filter((object) => !objects.has(object))
  if (absent.length > 0)
    throw new MigrationError(
      `The database lacks ${absent.join(', ')}: restore all of its dump, into an empty database.`,
    )
  const actual = new Set(rights.map(({ statement }) => statement))
  return {
    missing: Object.values(expected)
      .flat()
      .filter((statement) => !actual.has(statement)),
    superfluous: rights.filter(({ object, statement }) => statement && expected[object]?.includes(statement) === false),
  }
}

/** Commits only when something changed, and reports as repaired only what reading the rights again confirms. */
async function repairOnce(client: pg.Client, state: State): Promise<State & { repaired: Differences }> {
  await client.query('begin')
  try {
    const { expected, rights, left } = await repairedState(client, state)
    const repaired = without(differencesOf({ expected, rights: state.rights }), left)
    if (areNone(repaired) && !areNone(left)) throw unrepairable(left)
    await client.query(areNone(repaired) ? 'rollback' : 'commit')
    return { expected, rights, repaired }
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** Runs the statements in the transaction of the caller, and reads the rights again. */
async function repairedState(client: pg.Client, state: State): Promise<State & { left: Differences }> {
  const { missing, superfluous } = differencesOf(state)
  for (const { undo } of superfluous) if (undo) await client.query(undo)
  for (const statement of missing) await execute(client, statement)
  const rights = await readRights(client)
  const expected = inServerForm(state.expected, missing, rights)
  return { expected, rights, left: differencesOf({ expected, rights }) }
}

/** A policy of the same name for other roles would prevent this one, so it is dropped first. */
async function execute(client: pg.Client, statement: string): Promise<void> {
  const policy = policyOf(statement)
  if (policy) await client.query(`drop policy if exists ${policy}`)
  await client.query(statement)
}

/**
 * The server stores the condition of a policy in a form that differs between major versions. So policies that were just
 * created are compared with what the server reports about them.
 */
function inServerForm(expected: Rights, created: string[], rights: Right[]): Rights {
  const serverForms = new Map<string, string>()
  for (const statement of created) {
    const policy = policyOf(statement)
    const right = rights.find(({ undo }) => policy && undo === `drop policy ${policy}`)
    if (right?.statement) serverForms.set(statement, right.statement)
  }
  const entries = Object.entries(expected).map(([object, statements]) => [
    object,
    statements.map((statement) => serverForms.get(statement) ?? statement),
  ])
  return Object.fromEntries(entries)
}

/** Such as `own_company on roles`; undefined for a statement that creates no policy. */
const policyOf = (statement: string) => /^create policy (.+?) as /.exec(statement)?.[1]

const areNone = ({ missing, superfluous }: Differences) => missing.length + superfluous.length === 0

const without = ({ missing, superfluous }: Differences, left: Differences): Differences => ({
  missing: missing.filter((statement) => !left.missing.includes(statement)),
  superfluous: superfluous.filter(({ statement }) => !left.superfluous.some((right) => right.statement === statement)),
})

function unrepairable({ missing, superfluous }: Differences): MigrationError {
  const statements = [...superfluous.map(({ undo }) => undo), ...missing].filter((statement) => statement !== null)
  return new MigrationError(
    `Rights in the database differ from the migrations. As a superuser: ${statements.join('; ')};`,
  )
}
