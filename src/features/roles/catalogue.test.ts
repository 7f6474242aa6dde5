import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addMember, createRole, join, joinWith, rolesOf } from '../../../test/support/members.ts'
import { assertProblem, signUp } from '../../../test/support/people.ts'
import { permissions } from '../../access/permissions.ts'
import { languages } from '../../lib/languages.ts'
import { catalogueIn } from './catalogue.ts'
import { en } from './texts/en.ts'
import { es } from './texts/es.ts'
import { pt } from './texts/pt.ts'

const service = await useTestApp()

const catalogue = '/companies/permissions'
const wanting = (language: string) => ({ headers: { 'accept-language': language } })

it('returns the catalogue in the preferred language of the request', async () => {
  const ann = await signUp(service.client)
  const asked: Record<string, string> = {
    es: 'es',
    'es-MX,es;q=0.9,en;q=0.8': 'es',
    'fr, de;q=0.9, pt-BR;q=0.5': 'pt',
    'en;q=0.4, pt;q=0.6': 'pt',
    'fr, ja': 'en',
    '*': 'en',
    'en;q=0, *;q=0.1': 'es',
    'x\u00e9;;q=2,,,': 'en',
  }
  for (const [header, tag] of Object.entries(asked)) {
    const { status, headers, body } = await ann.api.get(catalogue, wanting(header))
    assert.equal(status, 200)
    assert.equal(headers.get('content-language'), tag, header)
    assert.match(headers.get('vary') ?? '', /\bAccept-Language\b/)
    assert.deepEqual(body.data, catalogueIn(tag as 'en'))
  }
  const { data } = (await ann.api.get(catalogue, wanting('es'))).body
  assert.deepEqual(data[2], {
    name: 'users:read',
    resource: 'users',
    action: 'read',
    description: 'Ver miembros',
    group: 'Miembros',
  })
  assert.deepEqual(
    data.map(({ name }: { name: string }) => name),
    permissions,
  )
})

it('sends Vary and Content-Language for translated answers only', async () => {
  const ann = await signUp(service.client)
  const { headers } = await ann.api.get('/companies/roles', wanting('es'))
  assert.equal(headers.get('content-language'), null)
  assert.doesNotMatch(headers.get('vary') ?? '', /Accept-Language/)
})

it('has every text in every language, and no unused text', () => {
  const texts = { en, es, pt }
  assert.deepEqual(Object.keys(texts), [...languages])
  const resources = [...new Set(permissions.map((name) => name.split(':')[0]))]
  for (const [tag, { permissions: descriptions, groups }] of Object.entries(texts)) {
    assert.deepEqual(Object.keys(descriptions), [...permissions], tag)
    assert.deepEqual(Object.keys(groups).sort(), [...resources].sort(), tag)
    const all = [...Object.values(descriptions), ...Object.values(groups)]
    for (const text of all) assert.match(text, /^\p{Lu}.*[^.\s]$/u)
    assert.equal(new Set(Object.values(descriptions)).size, permissions.length, `${tag}: one text for two permissions`)
  }
  const same = permissions.filter(
    (name) => en.permissions[name] === es.permissions[name] || es.permissions[name] === pt.permissions[name],
  )
  assert.deepEqual(same, [], 'not translated')
})

it('explains through which roles a member may do something', async () => {
  const ann = await signUp(service.client)
  const desk = await createRole(ann, 'Desk', ['users:read', 'branches:read'])
  const bob = await join(ann, await signUp(service.client), ['Desk', 'Member'])
  const all = await rolesOf(ann)
  const ask = async (userId: string, permission: string, by = ann) =>
    (await by.api.get(`${catalogue}/explain?userId=${userId}&permission=${permission}`)).body.data
  assert.deepEqual(await ask(bob.id, 'users:read'), {
    allowed: true,
    roles: [
      { id: desk.id, name: 'Desk' },
      { id: all.Member, name: 'Member' },
    ],
    reason: 'held',
  })
  assert.deepEqual(await ask(bob.id.toUpperCase(), 'roles:read', bob), {
    allowed: true,
    roles: [{ id: all.Member, name: 'Member' }],
    reason: 'held',
  })
  assert.deepEqual(await ask(bob.id, 'users:delete'), { allowed: false, roles: [], reason: 'not_held' })
  await ann.api.patch(`/companies/users/${bob.id}`, { status: 'inactive' })
  assert.deepEqual(await ask(bob.id, 'users:read'), { allowed: false, roles: [], reason: 'inactive' })
  for (const query of [
    '',
    `?userId=${bob.id}`,
    '?userId=x&permission=users:read',
    `?userId=${bob.id}&permission=users:fly`,
  ])
    assertProblem(await ann.api.get(`${catalogue}/explain${query}`), 400, 'validation_failed')
})

it('explains the own permissions to every member', async () => {
  const ann = await signUp(service.client)
  const bob = await joinWith(ann, await signUp(service.client), ['permissions:read'])
  const carl = await addMember(ann)
  const path = (id: string) => `${catalogue}/explain?userId=${id}&permission=permissions:read`
  assert.equal((await bob.api.get(path(bob.id))).body.data.allowed, true)
  assertProblem(await bob.api.get(path(carl.id)), 403, 'permission_missing')
})

it('agrees with the access check', async () => {
  const ann = await signUp(service.client)
  const bob = await join(ann, await signUp(service.client), ['Manager'])
  const { companyPermissions } = (await bob.api.get('/auth/me')).body.data
  for (const permission of permissions) {
    const { data } = (await ann.api.get(`${catalogue}/explain?userId=${bob.id}&permission=${permission}`)).body
    assert.equal(data.allowed, companyPermissions[ann.company.id].includes(permission), permission)
  }
})
