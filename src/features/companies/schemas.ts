import { z } from 'zod'
import { pageQuery } from '../../http/paging.ts'
import { Slug } from '../../lib/slugs.ts'
import { line, requiredLine } from '../../lib/text.ts'
import { Uuid } from '../../lib/uuids.ts'
import { Locale, Timezone } from '../accounts/schemas.ts'

const NAME_LENGTH_MAX = 120
const Name = requiredLine(NAME_LENGTH_MAX)
const TaxId = requiredLine(50)

export const Company = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string().describe('Unique among all companies, and for 90 days after a company gave it up.'),
    taxId: z.string(),
    timezone: z.string().describe('A name of the IANA database, or empty.'),
    locale: z.string().describe('A BCP 47 language tag, or empty.'),
    status: z.enum(['active', 'deleted']),
    roles: z.array(z.string()).describe("The names of the caller's roles."),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    deleted_at: z.iso.datetime().nullable().describe('Null while the company is active.'),
    restorable_until: z.iso
      .datetime()
      .nullable()
      .describe('Until then one of its Owners may restore a deleted company. Null while it is active.'),
  })
  .meta({ id: 'Company' })
export type Company = z.output<typeof Company>

export const NewCompany = z.object({
  name: Name,
  taxId: TaxId,
  slug: Slug.optional().describe(
    'Made from the name when it is left out, with random letters where it could not tell the whole name.',
  ),
})
export type NewCompany = z.output<typeof NewCompany>

/** Every field may be left out; `""` or `null` clears time zone and language. */
export const CompanyUpdate = z.object({
  name: Name.optional(),
  slug: Slug.optional().describe('The one before stays reserved for this company for 90 days.'),
  taxId: TaxId.optional(),
  timezone: Timezone,
  locale: Locale,
})
export type CompanyUpdate = z.output<typeof CompanyUpdate>

export const CompanyQuery = z.object({
  ...pageQuery(['name', 'created_at']),
  search: line(NAME_LENGTH_MAX).optional().describe('In the name, in any letter case, with or without accents.'),
  status: z
    .enum(['active', 'deleted'])
    .default('active')
    .describe('`deleted`: those of which the caller is an Owner and that can still be restored.'),
})
export type CompanyQuery = z.output<typeof CompanyQuery>

export const OneCompany = z.object({ id: Uuid })

export const DeletedCompany = z.object({ id: z.uuid() })
