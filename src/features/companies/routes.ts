import { z } from 'zod'
import { asAccount } from '../../database/tenancy.ts'
import type { Api } from '../../http/endpoints.ts'
import { pageQuery } from '../../http/paging.ts'
import { Slug } from '../../lib/slugs.ts'
import { requiredLine } from '../../lib/text.ts'
import type { Service } from '../../service.ts'
import { createCompany, listCompanies } from './companies.ts'

const Company = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    taxId: z.string(),
    status: z.enum(['active']),
    roles: z.array(z.string()).describe("The names of the caller's roles."),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Company' })

const NewCompany = z
  .object({
    name: requiredLine(120),
    taxId: requiredLine(50),
    slug: Slug.optional().describe('Made from the name when it is left out.'),
  })
  .meta({ id: 'NewCompany' })

export function companies(api: Api, { database }: Service): void {
  api.list(
    '/companies',
    {
      access: 'account',
      action: 'companies.list',
      operationId: 'listCompanies',
      summary: 'The companies in which I am an active member',
      description: 'With the roles that I have in each.',
      query: z.object(pageQuery(['name', 'created_at'])),
      answer: Company,
    },
    ({ actor, query }) => listCompanies(database.autocommit(asAccount(actor.accountId)), query),
  )

  api.post(
    '/companies',
    {
      access: 'account',
      action: 'companies.create',
      operationId: 'createCompany',
      summary: 'Found another company',
      description: 'The caller becomes its Owner.',
      body: NewCompany,
      answer: Company,
      status: 201,
      problems: ['slug_taken'],
    },
    ({ actor, body }) => createCompany(database, actor, { ...body, slug: body.slug }),
  )
}
