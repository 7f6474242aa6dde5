import fs from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { MigrationError } from './migration-error.ts'
import { type Right, readRights } from './rights-catalogue.ts'
import type { BootLog } from './suitability.ts'

/**
 * What the roles of the service may do, and which rows they see: for each table and function of ours the statements that
 * make it so. `npm run rights` writes the file from the migrations.
 */
export type Rights = Record<string, string[]>

export const RIGHTS_FILE = path.join(import.meta.dirname, 'rights.json')

interface State {
  expected: Rights
  rights: Right[]
}

interface Differences {
  missing: string[]
  tooMany: Right[]
}

/** Taking a right on a table also takes the same right on its columns, which are then given once more. */
const PASSES_MAX = 3

/**
 * A restored dump may lack grants and policies, and nobody notices a right too many. Both are mended, and said in the log:
 * the migrations alone decide what the roles may do. Objects that are not ours are left alone.
 */
export async function mendRights(client: pg.Client, log: BootLog, written = expectedRights()): Promise<void> {
  let state: State = { expected: written, rights: await readRights(client) }
  for (let pass = 1; !areNone(differencesOf(state)); pass++) {
    if (pass > PASSES_MAX) throw unmendable(differencesOf(state))
    const { mended, ...next } = await mendOnce(client, state)
    state = next
    const { missing: made, tooMany } = mended
    const revoked = tooMany.map(({ statement }) => statement)
    if (areNone(mended)) log.info('this PostgreSQL writes policies otherwise than the migrations: they are the same')
    else log.warn({ made, revoked }, 'rights in the database were not as the migrations made them: mended')
  }
}

/** All rights at present, by object. */
export async function rightsOf(client: pg.Client): Promise<Rights> {
  const rights: Rights = {}
  for (const { object, statement } of await readRights(client)) {
    rights[object] = [...(rights[object] ?? []), ...(statement ? [statement] : [])]
  }
  return rights
}

const expectedRights = (): Rights => JSON.parse(fs.readFileSync(RIGHTS_FILE, 'utf8'))

/** A dump that a superuser restored can leave everything to that one, functions that see past the policies included. */
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
    `Role ${user} does not own all that is in database ${database}, such as ${object}. Restore the dump with ` +
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
    tooMany: rights.filter(({ object, statement }) => statement && expected[object]?.includes(statement) === false),
  }
}

/** What changes nothing is not kept, and said to be mended is what was read again afterwards. */
async function mendOnce(client: pg.Client, state: State): Promise<State & { mended: Differences }> {
  const { missing, tooMany } = differencesOf(state)
  await client.query('begin')
  try {
    for (const { undo } of tooMany) if (undo) await client.query(undo)
    for (const statement of missing) await make(client, statement)
    const rights = await readRights(client)
    const expected = asWrittenHere(state.expected, missing, rights)
    const left = differencesOf({ expected, rights })
    const mended = without(differencesOf({ expected, rights: state.rights }), left)
    if (areNone(mended) && !areNone(left)) throw unmendable(left)
    await client.query(areNone(mended) ? 'rollback' : 'commit')
    return { expected, rights, mended }
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** A policy of this name that is for other roles is none of our rights and still in the way. */
async function make(client: pg.Client, statement: string): Promise<void> {
  const policy = policyOf(statement)
  if (policy) await client.query(`drop policy if exists ${policy}`)
  await client.query(statement)
}

/**
 * The server writes the condition of a policy in its own words, which another major version may choose otherwise. So what
 * it answers about policies that were just made is what they are compared with.
 */
function asWrittenHere(expected: Rights, made: string[], rights: Right[]): Rights {
  const here = new Map<string, string>()
  for (const statement of made) {
    const policy = policyOf(statement)
    const right = rights.find(({ undo }) => policy && undo === `drop policy ${policy}`)
    if (right?.statement) here.set(statement, right.statement)
  }
  const entries = Object.entries(expected).map(([object, statements]) => [
    object,
    statements.map((statement) => here.get(statement) ?? statement),
  ])
  return Object.fromEntries(entries)
}

/** `own_company on roles` */
const policyOf = (statement: string) => /^create policy (.+?) as /.exec(statement)?.[1]

const areNone = ({ missing, tooMany }: Differences) => missing.length + tooMany.length === 0

const without = ({ missing, tooMany }: Differences, left: Differences): Differences => ({
  missing: missing.filter((statement) => !left.missing.includes(statement)),
  tooMany: tooMany.filter(({ statement }) => !left.tooMany.some((right) => right.statement === statement)),
})

function unmendable({ missing, tooMany }: Differences): MigrationError {
  const statements = [...tooMany.map(({ undo }) => undo), ...missing].filter((statement) => statement !== null)
  return new MigrationError(
    `Rights in the database are not as the migrations made them. As a superuser: ${statements.join('; ')};`,
  )
}
