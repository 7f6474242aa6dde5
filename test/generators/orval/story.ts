import type { Story } from '../story.ts'
import { defaults } from './fetcher.ts'
import { listMembers, type Problem, register } from './generated/api.ts'

/** By the functions that orval makes, over a fetch of one's own. */
export const tell: Story = async (baseUrl, { ann, eve }) => {
  defaults.baseUrl = baseUrl
  const signedUp = await register(ann)
  const stranger = await register(eve)
  if (signedUp.status !== 201 || stranger.status !== 201) throw new Error('not signed up')

  defaults.headers.set('authorization', `Bearer ${signedUp.data.data.accessToken}`)
  const unnamed = await listMembers()
  if (unnamed.status !== 400) throw new Error('no company was named')
  const missing: 'validation_failed' | 'company_header_missing' | 'malformed_request' = unnamed.data.code

  defaults.headers.set('x-company-id', signedUp.data.data.tenants[0]?.id ?? '')
  const members = await listMembers({ status: 'active', sortBy: 'name' })
  if (members.status !== 200) throw new Error('no members')
  const roleIds: string[] = members.data.data.flatMap((member) => member.roleIds)

  defaults.headers.set('x-company-id', stranger.data.data.tenants[0]?.id ?? '')
  const refused = await listMembers()
  if (refused.status !== 403) throw new Error('not refused')
  const { code, message }: Problem = refused.data
  return { missing, emails: members.data.data.map(({ email }) => email), roleIds, refusal: { code, message } }
}
