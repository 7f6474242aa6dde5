import type { Story } from '../story.ts'
import { client } from './generated/client.gen.ts'
import { listMembers, register } from './generated/sdk.gen.ts'
import type { Problem } from './generated/types.gen.ts'

/** By the client that @hey-api/openapi-ts makes: it knows which operations need the token and the company. */
export const tell: Story = async (baseUrl, { ann, eve }) => {
  const credentials = { token: '', company: '' }
  client.setConfig({
    baseUrl,
    auth: ({ name }) => (name === 'x-company-id' ? credentials.company : credentials.token),
  })
  const signedUp = await register({ body: ann })
  const stranger = await register({ body: eve })
  if (!signedUp.data || !stranger.data) throw new Error(signedUp.error?.message ?? stranger.error?.message)

  credentials.token = signedUp.data.data.accessToken
  const unnamed = await listMembers()
  if (unnamed.error?.statusCode !== 400) throw new Error('no company was named')
  const missing: 'validation_failed' | 'company_header_missing' | 'malformed_request' = unnamed.error.code

  credentials.company = signedUp.data.data.tenants[0]?.id ?? ''
  const members = await listMembers({ query: { status: 'active', sortBy: 'name' } })
  if (!members.data) throw new Error('no members')
  const roleIds: string[] = members.data.data.flatMap((member) => member.roleIds)

  credentials.company = stranger.data.data.tenants[0]?.id ?? ''
  const refused = await listMembers()
  if (refused.error?.statusCode !== 403) throw new Error('not refused')
  const { code, message }: Problem = refused.error
  return { missing, emails: members.data.data.map(({ email }) => email), roleIds, refusal: { code, message } }
}
