import createClient from 'openapi-fetch'
import type { Story } from '../story.ts'
import type { components, paths } from './generated/schema.ts'

type Problem = components['schemas']['Problem']

/** By openapi-fetch, with the types that openapi-typescript makes. */
export const tell: Story = async (baseUrl, { ann, eve }) => {
  const client = createClient<paths>({ baseUrl })
  const signedUp = await client.POST('/api/auth/register', { body: ann })
  const stranger = await client.POST('/api/auth/register', { body: eve })
  if (!signedUp.data || !stranger.data) throw new Error(signedUp.error?.message ?? stranger.error?.message)

  const headers = { authorization: `Bearer ${signedUp.data.data.accessToken}`, company: '' }
  client.use({
    onRequest({ request }) {
      request.headers.set('authorization', headers.authorization)
      if (headers.company) request.headers.set('x-company-id', headers.company)
    },
  })
  const unnamed = await client.GET('/api/companies/users')
  if (unnamed.error?.statusCode !== 400) throw new Error('no company was named')
  const missing: 'validation_failed' | 'company_header_missing' | 'malformed_request' = unnamed.error.code

  headers.company = signedUp.data.data.tenants[0]?.id ?? ''
  const members = await client.GET('/api/companies/users', { params: { query: { status: 'active', sortBy: 'name' } } })
  if (!members.data) throw new Error('no members')
  const roleIds: string[] = members.data.data.flatMap((member) => member.roleIds)

  headers.company = stranger.data.data.tenants[0]?.id ?? ''
  const refused = await client.GET('/api/companies/users')
  if (refused.error?.statusCode !== 403) throw new Error('not refused')
  const { code, message }: Problem = refused.error
  return { missing, emails: members.data.data.map(({ email }) => email), roleIds, refusal: { code, message } }
}
