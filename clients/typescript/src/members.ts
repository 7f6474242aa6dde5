import { type Core, lists } from './core.ts'
import { type Edited, editOf } from './edits.ts'
import type { CallOptions, EditOptions, Member, Schemas, Versioned } from './types.ts'

const PATH = '/api/companies/users'
const ONE = `${PATH}/{userId}` as const

export function createMembers(core: Core, company: string) {
  return {
    ...lists(core, PATH, { company }),
    get: (userId: string, options?: CallOptions) =>
      core.call('get', ONE, { company, path: { userId }, ...options }) as Promise<Versioned<Member>>,
    /** Creates the account where there is none with this address, and emails a temporary password. */
    add: (body: Schemas['NewMember'], options?: CallOptions) => core.call('post', PATH, { company, body, ...options }),
    /** Of a member that `get` or `update` returned, it changes that version only. */
    update: (member: Edited, body: Schemas['MemberUpdate'], options?: EditOptions) => {
      const { id: userId, ifMatch } = editOf(member)
      return core.call('patch', ONE, { company, path: { userId }, body, ifMatch, ...options }) as Promise<
        Versioned<Member>
      >
    },
    /** The account stays; it loses this company. */
    remove: (member: Edited, options?: EditOptions) => {
      const { id: userId, ifMatch } = editOf(member)
      return core.call('delete', ONE, { company, path: { userId }, ifMatch, ...options })
    },
    /** Shows a temporary password once; only for accounts that the company manages. */
    resetPassword: (userId: string, options?: CallOptions) =>
      core.call('post', `${ONE}/reset-password`, { company, path: { userId }, ...options }),
    emailPassword: (userId: string, options?: CallOptions) =>
      core.call('post', `${ONE}/reset-password-email`, { company, path: { userId }, ...options }),
    /** Companies of the member in which the caller may read members, too. */
    companies: (userId: string, options?: CallOptions) =>
      core.call('get', `${ONE}/companies`, { company, path: { userId }, ...options }),
    /** Accounts to assign: by a part of name or address, or by the whole address. */
    searchAccounts: (q: string, options?: CallOptions) =>
      core.call('get', `${PATH}/search`, { company, query: { q }, ...options }),
    /** Adds an existing account, such as a member of another company. */
    assign: (body: Schemas['Assignment'], options?: CallOptions) =>
      core.call('post', '/api/companies/{id}/members', { company, path: { id: company }, body, ...options }),
    /** `remove`, by the address that names the company. */
    unassign: (member: Edited, options?: EditOptions) => {
      const { id: userId, ifMatch } = editOf(member)
      const path = { id: company, userId }
      return core.call('delete', '/api/companies/{id}/members/{userId}', { company, path, ifMatch, ...options })
    },
  }
}
