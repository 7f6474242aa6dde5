import { z } from 'zod'
import type { Api } from '../../http/endpoints.ts'
import { pageQuery } from '../../http/paging.ts'
import { catalogue } from '../../permissions.ts'
import { listRoles } from './roles.ts'

const Role = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string(),
    permissions: z.array(z.string()),
    isSystem: z.boolean().describe('Every company has it; nobody can change or delete it.'),
    memberCount: z.int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Role' })

const Permission = z
  .object({ name: z.string(), resource: z.string(), action: z.string(), description: z.string(), group: z.string() })
  .meta({ id: 'Permission' })

export function roles(api: Api): void {
  api.list(
    '/companies/roles',
    {
      access: { company: 'roles:read' },
      action: 'roles.list',
      operationId: 'listRoles',
      summary: 'The roles of the company',
      description: 'With what each allows and how many members have it.',
      query: z.object(pageQuery(['name', 'created_at'])),
      answer: Role,
    },
    ({ tx, query }) => listRoles(tx, query),
  )

  api.get(
    '/companies/permissions',
    {
      access: { company: 'permissions:read' },
      action: 'permissions.list',
      operationId: 'listPermissions',
      summary: 'The catalogue of permissions',
      description: 'Everything that a role can allow; the same in every company.',
      answer: z.array(Permission),
    },
    async () => catalogue,
  )
}
