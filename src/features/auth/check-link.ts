import type { LinkPurpose } from '../../database/schema.ts'
import { asAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { getLinkId, getValidLink } from '../accounts/links.ts'

/**
 * Lets a page show that a link is invalid before its user types a password. The link is neither consumed nor locked. The
 * response reveals no more than using the link would: whether it can be used now.
 */
export async function checkLink({ database, keys }: Deps, token: string, purposes: LinkPurpose[]): Promise<void> {
  await getValidLink(database.autocommit(asAnyone), getLinkId(keys, token), purposes)
}
