import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createBranch } from './support/branches.ts'
import { addMember, link, rolesOf } from './support/members.ts'
import { anyEmail, PASSWORD, signIn, signUp } from './support/people.ts'
import { useCountedApp } from './support/statement-counter.ts'

const { service, count } = await useCountedApp()
const ann = await signUp(service.client)
const member = await addMember(ann)
const roles = await rolesOf(ann)
const branch = await createBranch(ann)
const users = '/companies/users'
const bob = await signUp(service.client)
const inside = await link(ann, bob)
const carl = await signUp(service.client)
await link(ann, carl)
let { refreshToken } = await signIn(service.client, ann.email)

/** The hot requests, and what each may send at most: [statements, round trips]. docs/performance.md explains them. */
const requests: Record<string, [statements: number, roundTrips: number, send: () => Promise<{ status: number }>]> = {
  me: [2, 1, () => ann.api.get('/auth/me')],
  'me, with a company that is not opened': [2, 1, () => carl.api.get('/auth/me')],
  'list of members': [3, 1, () => ann.api.get(users)],
  'list of members, filtered': [3, 1, () => ann.api.get(`${users}?search=new&status=active`)],
  member: [3, 1, () => ann.api.get(`${users}/${member.id}`)],
  'list of roles': [3, 1, () => ann.api.get('/companies/roles')],
  role: [3, 1, () => ann.api.get(`/companies/roles/${roles.Admin}`)],
  'list of branches': [3, 1, () => ann.api.get('/companies/branches')],
  branch: [3, 1, () => ann.api.get(`/companies/branches/${branch.id}`)],
  company: [3, 1, () => ann.api.get(`/companies/${ann.company.id}`)],
  'list of audit records': [3, 1, () => ann.api.get('/companies/audit')],
  'refused permission': [5, 2, () => inside.api.get('/companies/audit')],
  'change of a member': [13, 5, () => ann.api.patch(`${users}/${member.id}`, { position: `P ${Math.random()}` })],
  'new member': [26, 8, () => ann.api.post(users, { name: 'New', email: anyEmail() })],
  'sign in': [16, 4, () => service.client.post('/auth/login', { email: ann.email, password: PASSWORD })],
  'exchange of a refresh token': [
    2,
    1,
    async () => {
      const answer = await service.client.post('/auth/refresh', { refreshToken })
      refreshToken = answer.body.data.refreshToken
      return answer
    },
  ],
}

const STATUSES: Record<string, number> = { 'new member': 201, 'refused permission': 403 }

describe('a hot request sends no more than', () => {
  for (const [name, [statements, roundTrips, send]] of Object.entries(requests))
    it(`${statements} statements in ${roundTrips} round trips: ${name}`, async () => {
      // Prepares statements and opens connections.
      for (let i = 0; i < 3; i++) assert.equal((await send()).status, STATUSES[name] ?? 200)
      const sent = await count(send)
      assert.deepEqual(sent, { statements, roundTrips })
    })
})
