import fs from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { MigrationError } from './migration-error.ts'
import { ROLES } from './roles.ts'
import type { BootLog } from './suitability.ts'

/**
 * What the roles of the service may do, and which rows they see: for each table and function of ours the statements that
 * make it so. `npm run rights` writes the file from the migrations.
 */
export type Rights = Record<string, string[]>

export const RIGHTS_FILE = path.join(import.meta.dirname, 'rights.json')

interface Right {
  object: string
  /** Null: the object is there. */
  statement: string | null
  /** What takes it back; null: only its opposite does. */
  undo: string | null
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
export async function mendRights(client: pg.Client, log: BootLog): Promise<void> {
  const expected = expectedRights()
  for (let pass = 1; ; pass++) {
    const differences = compare(expected, await readRights(client))
    if (differences.missing.length + differences.tooMany.length === 0) return
    if (pass > PASSES_MAX) throw unmendable(differences)
    await mend(client, differences)
    const revoked = differences.tooMany.map(({ statement }) => statement)
    log.warn(
      { made: differences.missing, revoked },
      'rights in the database were not as the migrations made them: mended',
    )
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

function compare(expected: Rights, rights: Right[]): Differences {
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

async function mend(client: pg.Client, { missing, tooMany }: Differences): Promise<void> {
  await client.query('begin')
  try {
    for (const statement of [...tooMany.map(({ undo }) => undo), ...missing])
      if (statement) await client.query(statement)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

function unmendable({ missing, tooMany }: Differences): MigrationError {
  const statements = [...tooMany.map(({ undo }) => undo), ...missing].filter((statement) => statement !== null)
  return new MigrationError(
    `Rights in the database are not as the migrations made them. As a superuser: ${statements.join('; ')};`,
  )
}

async function readRights(client: pg.Client): Promise<Right[]> {
  return (await client.query<Right>(CATALOGUE, [ROLES])).rows
}

/** Statements in one spelling: with sorted lists, and names that are quoted only where they have to be. */
const CATALOGUE = `
  with grantees as (
    select oid, quote_ident(rolname) as name from pg_roles where rolname = any ($1) union all select 0, 'public'),
  relations as (
    select oid, quote_ident(relname) as name, relkind, relacl, relrowsecurity, relforcerowsecurity from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
      and oid not in (select objid from pg_depend where classid = 'pg_class'::regclass and deptype = 'e')),
  functions as (
    select oid, oid::regprocedure::text as name, coalesce(proacl, acldefault('f', proowner)) as acl from pg_proc
    where pronamespace = 'public'::regnamespace and prokind in ('f', 'p')
      and oid not in (select objid from pg_depend where classid = 'pg_proc'::regclass and deptype = 'e'))
  select * from (
    select 'schema public' as object, format('grant %s on schema public to %s', what, name) as statement,
      format('revoke all on schema public from %s cascade', name) as undo
    from (
      select grantees.name, string_agg(lower(privilege_type), ', ' order by privilege_type) as what
      from pg_namespace, aclexplode(coalesce(nspacl, acldefault('n', nspowner))) granted join grantees on grantees.oid = grantee
      where nspname = 'public' group by grantees.name) granted
    union all
    select 'table ' || name, case when relkind in ('r', 'p') then format('alter table %s %s row level security, %s row level security',
      name, case when relrowsecurity then 'enable' else 'disable' end, case when relforcerowsecurity then 'force' else 'no force' end) end,
      null
    from relations
    union all
    select 'table ' || relation, format('grant %s on %s to %s%s', what, relation, name, option),
      format('revoke all on %s from %s cascade', relation, name)
    from (
      select relations.name as relation, grantees.name, string_agg(lower(privilege_type), ', ' order by privilege_type) as what,
        case when bool_or(is_grantable) then ' with grant option' else '' end as option
      from relations, aclexplode(relacl) granted join grantees on grantees.oid = grantee
      group by relations.name, grantees.name) granted
    union all
    select 'table ' || relation, format('grant %s (%s) on %s to %s%s', what, columns, relation, name, option),
      format('revoke %s (%s) on %s from %s cascade', what, columns, relation, name)
    from (
      select relations.name as relation, grantees.name, lower(privilege_type) as what,
        string_agg(quote_ident(attname), ', ' order by attname) as columns,
        case when bool_or(is_grantable) then ' with grant option' else '' end as option
      from relations join pg_attribute on attrelid = relations.oid and attnum > 0 and not attisdropped,
        aclexplode(attacl) granted join grantees on grantees.oid = grantee
      group by relations.name, grantees.name, privilege_type) granted
    union all
    select 'function ' || name, null, null from functions
    union all
    select 'function ' || functions.name,
      format('grant execute on function %s to %s%s', functions.name, grantees.name,
        case when is_grantable then ' with grant option' else '' end),
      format('revoke all on function %s from %s cascade', functions.name, grantees.name)
    from functions, aclexplode(acl) granted join grantees on grantees.oid = grantee
    union all
    select 'table ' || quote_ident(tablename),
      format('create policy %I on %I as %s for %s to %s%s%s', policyname, tablename, lower(permissive), lower(cmd),
        (select string_agg(quote_ident(role), ', ' order by role) from unnest(roles) role),
        ' using (' || regexp_replace(qual, '\\s+', ' ', 'g') || ')', ' with check (' || regexp_replace(with_check, '\\s+', ' ', 'g') || ')'),
      format('drop policy %I on %I', policyname, tablename)
    from pg_policies where schemaname = 'public' and (roles && $1::name[] or 'public' = any (roles))
  ) rights order by object collate "C", statement collate "C" nulls first`
