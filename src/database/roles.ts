import pg from 'pg'
import { addressesIn } from '../lib/database-urls.ts'
import { MigrationError } from './migration-error.ts'
import type { BootLog } from './suitability.ts'

/** The roles that the service acts as: migrations/0001_database_roles.sql. They belong to the whole server. */
export const ROLES = ['tenantry_none', 'tenantry_account', 'tenantry_tenant', 'tenantry_worker']

const NAMES = ROLES.join(', ')

/**
 * The SQL that a superuser runs once, so that the service's own role needs no right over roles. It can be run again,
 * and on every supported version (from 16 on a membership says whether it inherits).
 */
export function rolesSql({ user, database }: { user: string; database: string }): string {
  return `do $$
declare
  role_name text;
  other name;
  options text := case when current_setting('server_version_num')::int >= 160000 then ' with inherit false, set true' else '' end;
begin
  foreach role_name in array array[${ROLES.map((name) => `'${name}'`).join(', ')}] loop
    if not exists (select from pg_roles where rolname = role_name) then
      execute format('create role %I nologin noinherit', role_name);
    end if;
    for other in
      select member.rolname from pg_auth_members
      join pg_roles member on member.oid = pg_auth_members.member and not member.rolsuper
      where roleid = (select oid from pg_roles where rolname = role_name) and member.rolname <> ${pg.escapeLiteral(user)}
    loop
      raise warning '% is in use by %: a server can hold one installation, and with two neither starts again', role_name, other;
    end loop;
    execute format('grant %I to %I', role_name, ${pg.escapeLiteral(user)}) || options;
  end loop;
end
$$;
revoke connect on database ${pg.escapeIdentifier(database)} from public;
`
}

/** What an address names, which may be unset. */
export function userAndDatabase(databaseUrl: string | undefined): { user: string; database: string } {
  const { user, database } = new pg.Client(addressesIn(databaseUrl || 'postgres://tenantry@/tenantry')[0])
  return { user: user ?? 'tenantry', database: database ?? 'tenantry' }
}

/**
 * Revokes CONNECT from PUBLIC, so that other roles of the server can't use this database. Dumps and templates lack
 * this.
 */
export async function revokePublicConnect(client: pg.Client, log: BootLog): Promise<void> {
  if (!(await isPublic(client))) return
  const { rows } = await client.query(
    `select quote_ident(current_database()) as database, quote_ident(session_user) as user`,
  )
  const { database, user } = rows[0]
  await client.query(`revoke connect on database ${database} from public`)
  if (await isPublic(client)) {
    throw new MigrationError(
      `Every role of the server can connect to database ${database}, and ${user} can't change that. As a superuser: ` +
        `REVOKE CONNECT ON DATABASE ${database} FROM PUBLIC;`,
    )
  }
  log.info(`revoked CONNECT on database ${database} from PUBLIC: another role that has to read it needs its own grant`)
}

export async function isPublic(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`
    select exists (
      select from pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba))) granted
      where datname = current_database() and granted.grantee = 0 and granted.privilege_type = 'CONNECT') as open`)
  return rows[0].open
}

/**
 * Creates missing roles, at the first start or after a dump was restored to another server, and makes the service's own
 * role a member; in one transaction, so that a refused installation leaves no membership behind.
 */
export async function ensureRoles(client: pg.Client): Promise<void> {
  // A transaction that lost the race to create a role takes it for missing until its end.
  await createAndJoin(client).catch((error) => {
    if (error.code !== INVALID_PARAMETER_VALUE) throw error
    return createAndJoin(client)
  })
}

/** Of `set role`, for a role that is missing. */
const INVALID_PARAMETER_VALUE = '22023'

async function createAndJoin(client: pg.Client): Promise<void> {
  await client.query('begin')
  try {
    await assertCanUseRoles(client)
    await client.query(CREATE_AND_JOIN)
    await assertNoBypass(client)
    await assertNoOtherInstallation(client)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** Returns the roles that are missing and that this role may create. Changes nothing. */
export async function assertCanUseRoles(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(
    `select quote_ident(me.rolname) as user, me.rolsuper or me.rolcreaterole as may_create,
       array(select name from unnest($1::text[]) name where name not in (select rolname from pg_roles)) as missing,
       array(select rolname::text from pg_roles where rolname = any ($1) and not case
         when me.rolsuper then true
         when current_setting('server_version_num')::int < 160000 then me.rolcreaterole or pg_has_role(oid, 'member')
         else pg_has_role(oid, 'set') or pg_has_role(oid, 'member with admin option') end) as foreign
     from pg_roles me where me.rolname = session_user`,
    [ROLES],
  )
  const { user, may_create, missing, foreign } = rows[0]
  if (missing.length > 0 && !may_create) {
    const creating = missing.map((name: string) => `CREATE ROLE ${name} NOLOGIN NOINHERIT;`).join(' ')
    throw new MigrationError(
      `The roles ${missing.join(', ')} are missing and ${user} may not create them. As a superuser, once (also printed by ` +
        `npm run -s tenantry -- roles): ${creating} GRANT ${NAMES} TO ${user};`,
    )
  }
  if (foreign.length === 0) return missing
  await assertNoOtherInstallation(client)
  throw new MigrationError(
    `Role ${user} may not act as the roles ${foreign.join(', ')}. As a superuser: GRANT ${foreign.join(', ')} TO ${user};`,
  )
}

const CREATE_AND_JOIN = `
  do $$
  declare
    role_name text;
  begin
    foreach role_name in array array[${ROLES.map((name) => `'${name}'`).join(', ')}] loop
      if not exists (select from pg_roles where rolname = role_name) then
        begin
          execute format('create role %I nologin noinherit', role_name);
        exception when duplicate_object or unique_violation then
          null; -- A service on another database has created it at the same moment.
        end;
      end if;
      begin
        perform set_config('role', role_name, true), set_config('role', 'none', true);
      exception when insufficient_privilege then
        execute format('grant %I to %I', role_name, session_user);
      end;
    end loop;
  end
  $$`

/** A member of these roles has their rights in every database that it can connect to. */
export async function assertNoOtherInstallation(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select quote_ident(member.rolname) as member, quote_ident(current_database()) as database,
       string_agg(distinct format('REVOKE %I FROM %I GRANTED BY %I CASCADE;', service_role.rolname, member.rolname, grantor.rolname), ' ')
         as commands
     from pg_auth_members membership
     join pg_roles service_role on service_role.oid = membership.roleid join pg_roles member on member.oid = membership.member
     join pg_roles grantor on grantor.oid = membership.grantor
     join pg_database on datname = current_database()
     where service_role.rolname = any ($1) and not member.rolsuper and not pg_has_role(member.oid, datdba, 'member')
       -- From 16 on the creator of a role is a member that can grant it, without being able to act as it.
       and (coalesce((to_jsonb(membership)->>'set_option')::boolean, true)
         or coalesce((to_jsonb(membership)->>'inherit_option')::boolean, true))
     group by member.rolname order by member.rolname`,
    [ROLES],
  )
  if (rows.length === 0) return
  const members = rows.map(({ member }) => member).join(', ')
  throw new MigrationError(
    `One installation for each PostgreSQL server: its roles (${NAMES}) belong to the server, and ${members} is a member of ` +
      `them without owning database ${rows[0].database}. Give this installation a server of its own; if ${members} is ` +
      `left over and unused, as a superuser: ${rows.map(({ commands }) => commands).join(' ')}`,
  )
}

/** Refuses attributes and memberships by which the roles could bypass row-level security. */
export async function assertNoBypass(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select format('ALTER ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION;', rolname) as command
     from pg_roles where rolname = any ($1)
       and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication or rolcanlogin)
     union all
     select format('REVOKE %I FROM %I GRANTED BY %I CASCADE;', other.rolname, service_role.rolname, grantor.rolname)
     from pg_auth_members membership
     join pg_roles other on other.oid = membership.roleid join pg_roles service_role on service_role.oid = membership.member
     join pg_roles grantor on grantor.oid = membership.grantor
     where service_role.rolname = any ($1)`,
    [ROLES],
  )
  if (rows.length === 0) return
  const commands = rows.map(({ command }) => command).join(' ')
  throw new MigrationError(`The roles of the service can bypass row-level security. As a superuser: ${commands}`)
}
