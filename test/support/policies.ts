import type { ClosedCode } from '../../src/access/policies.ts'
import type { TestDatabase } from './database.ts'

type Db = Pick<TestDatabase, 'query'>

/** Sets columns of a company's policy in the database alone, such as one that its owner could not set from here. */
export const setPolicy = (db: Db, companyId: string, columns: string) =>
  db.query(`update companies set has_policy = true, ${columns} where id = $1`, [companyId])

export const dropPolicy = (db: Db, companyId: string) =>
  db.query(
    `update companies set has_policy = false, policy_factor_from = null, policy_factor_roles = null, policy_age = null,
       policy_pause = null, policy_networks = null, policy_passwords = null where id = $1`,
    [companyId],
  )

/** For each code, a policy that refuses a session of these tests with it: fresh, from loopback, with a password alone. */
export const closing: Record<ClosedCode, string> = {
  network_not_allowed: `policy_networks = '{192.0.2.0/24}'`,
  second_factor_required_by_company: `policy_factor_from = now()`,
  reauthentication_required: `policy_age = '0'`,
  password_too_weak_for_company: `policy_passwords = '{0}'`,
}
