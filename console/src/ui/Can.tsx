import type { PermissionName } from '@tenantry/client'
import type { ReactNode } from 'react'
import { useCompany } from '../api/use-company.ts'
import { usePermissionText } from '../api/use-permission-text.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Page } from './Page.tsx'

/** What a person may not do in the company is not there. The service decides anew at every request. */
export function Can({ permission, children }: { permission: PermissionName; children: ReactNode }) {
  return useCompany().can(permission) ? children : null
}

/** Around a whole page, which someone may open by its address. */
export function PageFor({ permission, children }: { permission: PermissionName; children: ReactNode }) {
  return useCompany().can(permission) ? children : <ForbiddenPage permission={permission} />
}

function ForbiddenPage({ permission }: { permission: PermissionName }) {
  const { title, message } = useTexts('shell').forbidden
  const textOf = usePermissionText()
  return (
    <Page title={title} intro={message({ permission: textOf(permission) })}>
      {null}
    </Page>
  )
}
