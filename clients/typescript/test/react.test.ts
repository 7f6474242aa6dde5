import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TenantryProvider, useCan, useCompany, useSession } from '@tenantry/client/react'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { useTestApp } from '../../../test/support/app.ts'
import { clientOf, signedUp } from './support.ts'

const service = await useTestApp()

function Greeting({ companyId }: { companyId: string }) {
  const state = useSession()
  const company = useCompany(companyId)
  const mayAdd = useCan(companyId, 'users:create')
  if (state.status !== 'signed_in') return state.status
  return `${state.account?.name} has ${company.permissions.length} permissions${mayAdd ? ' and may add members' : ''}`
}

const render = (client: Parameters<typeof TenantryProvider>[0]['client'], companyId: string) =>
  renderToString(createElement(TenantryProvider, { client }, createElement(Greeting, { companyId })))

describe('the hooks', () => {
  it('show who is signed in and what that account may do in a company', async () => {
    const { tenantry, account, company } = await signedUp(service)
    assert.equal(render(tenantry, company.id), `${account.name} has 19 permissions and may add members`)
    assert.equal(render(tenantry, 'another'), `${account.name} has 0 permissions`)
    // An address can name anything, such as what every object has.
    assert.equal(render(tenantry, 'constructor'), `${account.name} has 0 permissions`)
    await tenantry.signOut()
    assert.equal(render(tenantry, company.id), 'signed_out')
    assert.equal(render(clientOf(service).tenantry, company.id), 'unknown')
  })

  it('say what is missing above them', () => {
    assert.throws(() => renderToString(createElement(Greeting, { companyId: 'x' })), /TenantryProvider/)
  })
})

it('a company is the same object for the same id, so that it can be a dependency of effects', async () => {
  const { tenantry, company } = await signedUp(service)
  assert.equal(tenantry.company(company.id), company)
})
