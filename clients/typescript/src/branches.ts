import { type Core, lists } from './core.ts'
import { type Edited, editOf } from './edits.ts'
import type { paths } from './schema.ts'
import type { BodyOf, Branch, CallOptions, EditOptions, Versioned } from './types.ts'

const PATH = '/api/companies/branches'
const ONE = `${PATH}/{branchId}` as const

export function createBranches(core: Core, company: string) {
  return {
    /** With `tree: 'true'` the items are the top, each with what is below it in `children`. */
    ...lists(core, PATH, { company }),
    get: (branchId: string, options?: CallOptions) =>
      core.call('get', ONE, { company, path: { branchId }, ...options }) as Promise<Versioned<Branch>>,
    create: (body: BodyOf<paths[typeof PATH]['post']>, options?: CallOptions) =>
      core.call('post', PATH, { company, body, ...options }),
    /** Another `parentId` moves it, with everything below it. */
    update: (branch: Edited, body: BodyOf<paths[typeof ONE]['patch']>, options?: EditOptions) => {
      const { id: branchId, ifMatch } = editOf(branch)
      return core.call('patch', ONE, { company, path: { branchId }, body, ifMatch, ...options }) as Promise<
        Versioned<Branch>
      >
    },
    remove: (branch: Edited, options?: EditOptions) => {
      const { id: branchId, ifMatch } = editOf(branch)
      return core.call('delete', ONE, { company, path: { branchId }, ifMatch, ...options })
    },
  }
}
