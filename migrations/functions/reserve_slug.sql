-- Reserves a company's slug, and keeps the former one reserved for 90 days after a change or a purge.
create or replace function reserve_slug() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op <> 'INSERT' then
    update slugs set reserved_until = now() + interval '90 days' where slug = old.slug;
  end if;
  -- Otherwise a company could reserve any number of slugs by changing its own again and again.
  if tg_op = 'UPDATE' and (
    select count(*) from slugs where reserved_for = new.id and reserved_until > now() and slug <> new.slug) > 10
  then
    raise exception 'company % reserves too many slugs', new.id
      using errcode = 'check_violation', constraint = 'slugs_company_limit_check';
  end if;
  if tg_op <> 'DELETE' then
    insert into slugs as reserved (slug, reserved_for) values (new.slug, new.id)
    on conflict (slug) do update set reserved_for = excluded.reserved_for, reserved_until = null
    where reserved.reserved_for = excluded.reserved_for or reserved.reserved_until <= now();
    if not found then
      raise exception 'slug % is reserved', new.slug
        using errcode = 'unique_violation', constraint = 'companies_slug_key';
    end if;
  end if;
  return null;
end
$$;
revoke all on function reserve_slug from public;

create or replace trigger reserve_slug after insert or delete or update of slug on companies
  for each row execute function reserve_slug();
