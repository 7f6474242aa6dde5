import { z } from 'zod'
import { addedField } from '../../lib/added-fields.ts'
import { pageQuery } from '../../lib/paging.ts'
import { Slug } from '../../lib/slugs.ts'
import { requiredText, singleLineText } from '../../lib/text.ts'
import { Uuid } from '../../lib/uuids.ts'
import { Locale, Timezone } from '../accounts/schemas.ts'

const NAME_LENGTH_MAX = 120
const Name = requiredText(NAME_LENGTH_MAX)
const TaxId = requiredText(50)

export const Company = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string().describe('Unique across all companies, including slugs given up in the last 90 days.'),
    taxId: z.string(),
    timezone: z.string().describe('An IANA time zone, such as America/Lima, or empty.'),
    locale: z.string().describe('A BCP 47 language tag, or empty.'),
    status: z
      .enum(['active', 'suspended', 'deleted'])
      .describe('The operator of the service has suspended a suspended company: you can only leave it.'),
    roles: z.array(z.string()).describe('Names of your roles in it.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    deleted_at: z.iso.datetime().nullable().describe('Null while the company is active.'),
    restorable_until: z.iso
      .datetime()
      .nullable()
      .describe('When a deleted company can no longer be restored by an owner. Null if it isn’t deleted.'),
  })
  .meta({ id: 'Company' })
export type Company = z.output<typeof Company>

export const NewCompany = z.object({
  name: Name,
  taxId: TaxId,
  slug: Slug.optional().describe(
    'Generated from the name if left out, with random letters where the name has characters that a slug can’t.',
  ),
})
export type NewCompany = z.output<typeof NewCompany>

/** Every field is optional; `""` or `null` clears time zone and language. */
export const CompanyUpdate = z.object({
  name: Name.optional(),
  slug: Slug.optional().describe('The previous slug stays reserved for this company for 90 days.'),
  taxId: TaxId.optional(),
  timezone: Timezone,
  locale: Locale,
})
export type CompanyUpdate = z.output<typeof CompanyUpdate>

export const CompanyQuery = z.object({
  ...pageQuery(['name', 'created_at']),
  search: singleLineText(NAME_LENGTH_MAX).optional().describe('Searches the name, ignoring case and accents.'),
  status: z
    .enum(['active', 'suspended', 'deleted'])
    .optional()
    .describe('`deleted`: deleted companies that you can still restore as an owner. By default all others.'),
})
export type CompanyQuery = z.output<typeof CompanyQuery>

export const OneCompany = z.object({ id: Uuid })

export const DeletedCompany = z.object({ id: z.uuid() })

export const LeftCompany = z.object({
  id: z.uuid(),
  deleted: addedField(z.boolean().describe('You were the only one who could use it, so it was deleted.'), false),
})
export type LeftCompany = z.output<typeof LeftCompany>
