import type { LinkPurpose } from '../../database/schema.ts'
import { asAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { getLinkId, getValidLink } from '../accounts/links.ts'

/**
 * Lets a page say that a link is dead before a password is typed. Uses up nothing, locks nothing, and tells only what
 * using the link would tell: that it can be used now, or that it can't.
 */
export async function checkLink({ database, keys }: Deps, token: string, purposes: LinkPurpose[]): Promise<void> {
  await getValidLink(database.autocommit(asAnyone), getLinkId(keys, token), purposes)
}
