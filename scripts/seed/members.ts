import pg from 'pg'
import type { Target } from '../../src/database/connections.ts'
import { folded } from '../../src/lib/text.ts'

/** Members in one transaction. */
const BATCH_SIZE = 25_000
const firstNames =
  'Ana María José João Zoë Chloé Łukasz Søren Björn Jürgen Noël Renée Inês Íñigo Åsa Ömer Élodie Günther Bob Carla Dieter Eva Finn Greta Hugo Ida Jan Karl Lena Mia'
const lastNames =
  'García Müller Núñez Gonçalves Sørensen Kowalski Brontë Dvořák Ångström Rossi Smith Jones Weber Silva Santos Pérez Dubois Lefèvre Nowak Horvat Novák Berg Lund Holm Stone Wood Field Hill Marsh Rivers'

/** An error that the user of the script can solve by its message. */
export class SeedError extends Error {}

/**
 * Adds accounts as members to the first company of `email`, in one transaction for each batch, and prints its progress.
 */
export async function addMembers(target: Target, email: string, members: number): Promise<void> {
  if (members === 0) return
  const client = new pg.Client(target)
  await client.connect()
  try {
    const { rows } = await client.query(
      `select roles.company_id, roles.id as role_id from accounts
       join memberships on memberships.account_id = accounts.id
       join roles on roles.company_id = memberships.company_id and roles.system_key = 'member'
       where accounts.email = $1 order by memberships.created_at limit 1`,
      [email],
    )
    if (!rows[0]) throw new SeedError(`${email} has no company: choose another account with --email.`)
    const since = performance.now()
    for (let done = 0; done < members; done += BATCH_SIZE) {
      await addBatch(client, rows[0], Math.min(BATCH_SIZE, members - done))
      const seconds = Math.round((performance.now() - since) / 1000)
      console.log(
        `${Math.min(done + BATCH_SIZE, members).toLocaleString('en')} of ${members.toLocaleString('en')} members, ${seconds} s`,
      )
    }
    await client.query('vacuum analyze accounts, memberships, membership_roles')
  } finally {
    await client.end()
  }
}

async function addBatch(
  client: pg.Client,
  { company_id, role_id }: { company_id: string; role_id: string },
  count: number,
) {
  const [first, last] = [firstNames.split(' '), lastNames.split(' ')]
  await client.query('begin')
  await client.query(
    `with made as (
       insert into accounts (id, email, name, name_folded)
       select id, 'seed.' || id || '@example.test', ($2::text[])[f] || ' ' || ($4::text[])[l] || ' ' || n,
         ($3::text[])[f] || ' ' || ($5::text[])[l] || ' ' || n
       from (select gen_random_uuid() as id, 1 + floor(random() * 30)::int as f, 1 + floor(random() * 30)::int as l,
         floor(random() * 1e6)::int as n from generate_series(1, $1)) as people
       returning id
     ), joined as (
       insert into memberships (company_id, account_id, status, phone)
       select $6, id, case when random() < 0.05 then 'inactive' else 'active' end,
         '+34 600 ' || floor(random() * 1e6)::int
       from made returning account_id
     )
     insert into membership_roles (company_id, account_id, role_id) select $6, account_id, $7 from joined`,
    [count, first, first.map(folded), last, last.map(folded), company_id, role_id],
  )
  await client.query(
    `update company_counters set (active_members, inactive_members) = (
       select count(*) filter (where status = 'active'), count(*) filter (where status = 'inactive')
       from memberships where company_id = $1)
     where company_id = $1`,
    [company_id],
  )
  await client.query('commit')
}
