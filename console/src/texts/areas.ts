import type account from './en/account.ts'
import type audit from './en/audit.ts'
import type auth from './en/auth.ts'
import type branches from './en/branches.ts'
import type common from './en/common.ts'
import type companies from './en/companies.ts'
import type domains from './en/domains.ts'
import type home from './en/home.ts'
import type invitation from './en/invitation.ts'
import type inviting from './en/inviting.ts'
import type links from './en/links.ts'
import type members from './en/members.ts'
import type policy from './en/policy.ts'
import type problems from './en/problems.ts'
import type roles from './en/roles.ts'
import type settings from './en/settings.ts'
import type shell from './en/shell.ts'

/** Each is a file in the folder of each language, loaded by the pages that use it. A new page brings its own. */
export interface Areas {
  account: typeof account
  audit: typeof audit
  auth: typeof auth
  branches: typeof branches
  common: typeof common
  companies: typeof companies
  domains: typeof domains
  home: typeof home
  invitation: typeof invitation
  inviting: typeof inviting
  links: typeof links
  members: typeof members
  policy: typeof policy
  problems: typeof problems
  roles: typeof roles
  settings: typeof settings
  shell: typeof shell
}
