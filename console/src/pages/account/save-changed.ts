import type { Account } from '@tenantry/client'
import { tenantry } from '../../api/tenantry.ts'

type Update = Parameters<typeof tenantry.account.update>[0]

/** Sends only what differs, so that it undoes nothing that was saved on another device in the meantime. */
export async function saveChanged(account: Account, values: { [Name in keyof Update]: string }): Promise<Account> {
  const changed = Object.entries(values)
    .map(([name, value]) => [name, value.trim()] as const)
    .filter(([name, value]) => value !== (account[name as keyof Account] ?? ''))
  return changed.length > 0 ? tenantry.account.update(Object.fromEntries(changed)) : account
}
