import { createContext, createElement, type ReactNode, useContext, useEffect, useSyncExternalStore } from 'react'
import type { Tenantry } from './client.ts'
import type { CompanyScope } from './company.ts'
import type { SessionState } from './state.ts'
import type { PermissionName } from './types.ts'

const Context = createContext<Tenantry | undefined>(undefined)

/** Gives the client to what is below, and finds out who is signed in. */
export function TenantryProvider({ client, children }: { client: Tenantry; children?: ReactNode }) {
  useEffect(() => {
    // Where the service can't be reached the state stays `unknown`: offer to call `restore` again.
    client.session.restore().catch(() => {})
  }, [client])
  return createElement(Context.Provider, { value: client }, children)
}

export function useTenantry(): Tenantry {
  const client = useContext(Context)
  if (!client) throw new Error('useTenantry needs a <TenantryProvider client={…}> above it')
  return client
}

/** Who is signed in, anew whenever it changes. */
export function useSession(): SessionState {
  const { session } = useTenantry()
  return useSyncExternalStore(session.subscribe, session.get, session.get)
}

/** One company; the same object for the same id. Its `permissions` are those of the newest session. */
export function useCompany(id: string): CompanyScope {
  useSession()
  return useTenantry().company(id)
}

/** Whether to show what needs the permission; the service decides anew. */
export function useCan(companyId: string, permission: PermissionName): boolean {
  return useCompany(companyId).can(permission)
}
