import type { Routes } from './routes.ts'
import type { CallOptions } from './types.ts'

const PATH = '/api/companies/users'
const ONE = `${PATH}/{userId}` as const

export function createMembers(inside: Routes) {
  const search = inside.asking(`${PATH}/search`)
  return {
    ...inside.lists(PATH),
    get: inside.one('get', ONE),
    /** Creates the account where there is none with this address, and emails a temporary password. */
    add: inside.sending('post', PATH),
    /** Of a member that `get` or `update` returned, it changes that version only. */
    update: inside.editing(ONE),
    /** The account stays; it loses this company. */
    remove: inside.removing(ONE),
    /** Shows a temporary password once; only for accounts that the company manages. */
    resetPassword: inside.one('post', `${ONE}/reset-password`),
    emailPassword: inside.one('post', `${ONE}/reset-password-email`),
    /** For a managed member who has lost every second factor. */
    resetSecondFactor: inside.one('post', `${ONE}/reset-second-factor`),
    /** Companies of the member in which the caller may read members, too. */
    companies: inside.one('get', `${ONE}/companies`),
    /** Accounts to assign: by a part of name or address, or by the whole address. */
    searchAccounts: (q: string, options?: CallOptions) => search({ q }, options),
    /** Adds an existing account, such as a member of another company. */
    assign: inside.sending('post', '/api/companies/{id}/members'),
    /** `remove`, by a path that names the company. */
    unassign: inside.removing('/api/companies/{id}/members/{userId}'),
  }
}
