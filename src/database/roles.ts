import pg from 'pg'
import { MigrationError } from './migration-error.ts'
import type { BootLog } from './suitability.ts'

/** The roles that the service acts as: migrations/0001_database_roles.sql. They belong to the whole server. */
export const ROLES = ['tenantry_none', 'tenantry_account', 'tenantry_tenant', 'tenantry_worker']

const NAMES = ROLES.join(', ')

/**
 * What a superuser runs once, so that the service's own role needs no right over roles. May be run again, and on every
 * version: since 16 a membership says whether it inherits.
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
      raise warning '% is in use by %: a server holds one installation, and neither of two would start again', role_name, other;
    end loop;
    execute format('grant %I to %I', role_name, ${pg.escapeLiteral(user)}) || options;
  end loop;
end
$$;
revoke connect on database ${pg.escapeIdentifier(database)} from public;
`
}

/** Whoever else has a role on this server has no business in this database. Neither dumps nor templates carry this. */
export async function closeToOthers(client: pg.Client, log: BootLog): Promise<void> {
  if (!(await isOpenToAll(client))) return
  const { rows } = await client.query(
    `select quote_ident(current_database()) as database, quote_ident(session_user) as user`,
  )
  const { database, user } = rows[0]
  await client.query(`revoke connect on database ${database} from public`)
  if (await isOpenToAll(client)) {
    throw new MigrationError(
      `Database ${database} is open to every role of the server, and ${user} can't change that. As a superuser: ` +
        `REVOKE CONNECT ON DATABASE ${database} FROM PUBLIC;`,
    )
  }
  log.info(`revoked CONNECT on database ${database} from PUBLIC: who else has to read it needs a grant of its own`)
}

async function isOpenToAll(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`
    select exists (
      select from pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba))) granted
      where datname = current_database() and granted.grantee = 0 and granted.privilege_type = 'CONNECT') as open`)
  return rows[0].open
}

/**
 * Makes the roles that are missing, at a first start or after a dump was restored to another server, and joins them; in one
 * transaction, so that an installation that is refused leaves no membership behind.
 */
export async function ensureRoles(client: pg.Client): Promise<void> {
  await client.query('begin')
  try {
    await assertMayHaveRoles(client)
    await client.query(MAKE_AND_JOIN)
    await assertHarmless(client)
    await assertOurs(client)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function assertMayHaveRoles(client: pg.Client): Promise<void> {
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
      `The roles ${missing.join(', ')} are missing and ${user} may not make them. As a superuser, once (npm run -s roles -- --sql ` +
        `prints it, too): ${creating} GRANT ${NAMES} TO ${user};`,
    )
  }
  if (foreign.length === 0) return
  await assertOurs(client)
  throw new MigrationError(
    `Role ${user} may not act as the roles ${foreign.join(', ')}. As a superuser: GRANT ${foreign.join(', ')} TO ${user};`,
  )
}

const MAKE_AND_JOIN = `
  do $$
  declare
    role_name text;
  begin
    foreach role_name in array array[${ROLES.map((name) => `'${name}'`).join(', ')}] loop
      if not exists (select from pg_roles where rolname = role_name) then
        begin
          execute format('create role %I nologin noinherit', role_name);
        exception when duplicate_object or unique_violation then
          null; -- Another database was started for the first time at the same moment.
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

/** A member of our roles may read what they may read, in any database that it can connect to. */
async function assertOurs(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select quote_ident(member.rolname) as member, quote_ident(current_database()) as database,
       string_agg(distinct format('REVOKE %I FROM %I GRANTED BY %I CASCADE;', ours.rolname, member.rolname, grantor.rolname), ' ')
         as commands
     from pg_auth_members held
     join pg_roles ours on ours.oid = held.roleid join pg_roles member on member.oid = held.member
     join pg_roles grantor on grantor.oid = held.grantor
     join pg_database on datname = current_database()
     where ours.rolname = any ($1) and not member.rolsuper and not pg_has_role(member.oid, datdba, 'member')
       -- Since 16 who made a role may hand it out, without being able to act as it.
       and (coalesce((to_jsonb(held)->>'set_option')::boolean, true)
         or coalesce((to_jsonb(held)->>'inherit_option')::boolean, true))
     group by member.rolname order by member.rolname`,
    [ROLES],
  )
  if (rows.length === 0) return
  const members = rows.map(({ member }) => member).join(', ')
  throw new MigrationError(
    `One installation for each PostgreSQL server: its roles (${NAMES}) belong to the server, and ${members} is a member of ` +
      `them without owning database ${rows[0].database}. Give this installation a server of its own; if ${members} is ` +
      `merely left over, as a superuser: ${rows.map(({ commands }) => commands).join(' ')}`,
  )
}

/** What would let our roles pass the policies of this database. */
async function assertHarmless(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select format('ALTER ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION;', rolname) as command
     from pg_roles where rolname = any ($1)
       and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication or rolcanlogin)
     union all
     select format('REVOKE %I FROM %I GRANTED BY %I CASCADE;', other.rolname, ours.rolname, grantor.rolname)
     from pg_auth_members held
     join pg_roles other on other.oid = held.roleid join pg_roles ours on ours.oid = held.member
     join pg_roles grantor on grantor.oid = held.grantor
     where ours.rolname = any ($1)`,
    [ROLES],
  )
  if (rows.length === 0) return
  const commands = rows.map(({ command }) => command).join(' ')
  throw new MigrationError(`The roles of the service have rights that pass its policies. As a superuser: ${commands}`)
}
