import type pg from 'pg'
import { idOf, peopleFrom, randomBelow } from '../../src/cli/seed/people.ts'
import type { Sizes } from './sizes.ts'

/** Different seeds give different ids to the same numbers. */
const [ACCOUNTS, COMPANIES] = [1, 2]
/** Members of a company that is not measured have these places: one to all of them are taken. */
const PLACES = 6
/** One of so many accounts has a password and a session; the others were only added. */
const ONE_SIGNS_IN_OF = 5

/**
 * Temporary tables that say who is a member of what, equal for every product: `people`, `planned_companies`, and
 * `planned_members` with one row for each membership. Companies 1 to 4 are the measured ones. The first accounts send the
 * requests: Managers, except in the smallest measured company, where they are Members.
 */
export async function createPlan(client: pg.Client, sizes: Sizes): Promise<void> {
  await client.query(
    `create temp table people as
     select *, n <= ${sizes.people} or n % ${ONE_SIGNS_IN_OF} = 0 as signs_in
     from (${peopleFrom(1, sizes.accounts, ACCOUNTS)}) as people`,
  )
  await client.query(
    `create temp table planned_companies as
     select c, ${idOf('c', COMPANIES)} as company_id, ${companyWord('c')} || ' ' || c as name,
       lower(${companyWord('c')}) || '-' || c as slug,
       timestamptz '2026-01-01' + make_interval(secs => c) as created_at
     from generate_series(1, ${sizes.companies}) as c`,
  )
  await client.query(
    `create temp table planned_members as
     select c, n, role,
       case when role <> 'owner' and n > ${sizes.people} and ${randomBelow(20, 'key', 11)} = 0
         then 'inactive' else 'active' end as status,
       role = 'owner' or n <= ${sizes.people} or ${randomBelow(10, 'key', 12)} < 6 as opened,
       timestamptz '2026-02-01' + make_interval(secs => n) as created_at
     from (select *, c::bigint * 10000000 + n as key from (
       ${inMeasured(sizes)} union all ${inOthers(sizes)} union all ${ofPeople(sizes)}) as planned) as keyed
     order by c, n`,
  )
  await client.query('create index on people (n)')
  await client.query('analyze people, planned_companies, planned_members')
}

const words = 'Northwind Bluebird Greenleaf Ironwood Silverline Brightway Stonegate Riverside Highland Oakmont'.split(
  ' ',
)
const companyWord = (number: string) =>
  `(array[${words.map((word) => `'${word}'`).join(',')}])[1 + ${randomBelow(words.length, number, 5)}]`

/** Most members of a company hold the role Member. */
const someRole = (key: string) =>
  `case when ${randomBelow(100, key, 13)} = 0 then 'admin' when ${randomBelow(100, key, 13)} < 4 then 'manager' else 'member' end`

function inMeasured({ measured, people }: Sizes): string {
  return `
    select c, n, case when n = ${measured[0]} then 'owner'
      when n <= ${people} then case c when 1 then 'member' else 'manager' end
      else ${someRole('c::bigint * 10000000 + n')} end as role
    from (values ${measured.map((size, index) => `(${index + 1}, ${size})`).join(', ')}) as sizes (c, size),
      generate_series(1, size) as n`
}

/** The first member owns the company. These accounts come after those of the medium company, so that none is in many. */
function inOthers({ measured, companies }: Sizes): string {
  return `
    select c, ${measured[1]} + (c - 5) * ${PLACES} + place, case when place = 1 then 'owner'
      else ${someRole(`c::bigint * 10000000 + place`)} end
    from generate_series(5, ${companies}) as c, generate_series(1, 1 + ${randomBelow(PLACES, 'c', 14)}) as place`
}

function ofPeople({ people, otherCompanies }: Sizes): string {
  return `
    select 4 + (person - 1) * ${otherCompanies} + company, person, 'manager'
    from generate_series(1, ${people}) as person, generate_series(1, ${otherCompanies}) as company`
}
