import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Person } from './people.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer, as a client sees it.
type Branch = any

export const anyBranchName = () => `Branch ${randomBytes(6).toString('hex')}`

/** Creates a branch in the company of `by`. */
export async function createBranch(by: Person, details: object = {}): Promise<Branch> {
  const answer = await by.api.post('/companies/branches', { name: anyBranchName(), ...details })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.data
}

/** Creates a chain of branches, each a child of the previous one, the first one below `parentId` or at the top. */
export async function createBranchChain(by: Person, length: number, parentId: string | null = null): Promise<Branch[]> {
  const chain: Branch[] = []
  for (let i = 0; i < length; i++) chain.push(await createBranch(by, { parentId: chain.at(-1)?.id ?? parentId }))
  return chain
}
