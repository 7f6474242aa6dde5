import type pg from 'pg'
import { ROLES } from './roles.ts'

/** A database object on which roles have rights, or one such right, from the system catalogs. */
export interface Right {
  /** Such as `table roles`, `function find_account(uuid,text)`, or `trigger count_deleted on membership_roles`. */
  object: string
  /** The statement that makes the right; null: this row only says that the object exists. */
  statement: string | null
  /** The statement that takes the right back; null: the expected statement replaces it. */
  undo: string | null
}

export async function readRights(client: pg.Client): Promise<Right[]> {
  return (await client.query<Right>(CATALOGUE, [ROLES])).rows
}

/** Gives each right as a statement in one spelling: lists are sorted, and names are quoted only where they must be. */
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
    select format('trigger %I on %s', tgname, name), null, null
    from relations join pg_trigger on tgrelid = relations.oid and not tgisinternal
    union all
    select format('constraint %I on %s', conname, name), null, null
    from relations join pg_constraint on conrelid = relations.oid and contype in ('p', 'u', 'f', 'c', 'x')
    union all
    select format('index %I on %s', relname, name), null, null
    from relations join pg_index on indrelid = relations.oid and indisunique and indisvalid
    join pg_class on pg_class.oid = indexrelid
    where not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
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
