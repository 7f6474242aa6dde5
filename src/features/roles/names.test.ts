import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { createRole } from '../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()

const roles = '/companies/roles'
const create = ({ api }: Person, name: string) => api.post(roles, { name, permissions: [] })

it('refuses a name that looks like that of another role when creating and renaming', async () => {
  const ann = await signUp(service.client)
  for (const name of ['Inspector', 'Level 1', 'Керівник']) await createRole(ann, name)
  const other = await createRole(ann, 'Other')
  const alike = [
    '\u041ewner', // Cyrillic О
    '\u039fwn\u0435r', // Greek Ο, Cyrillic е
    '0wner',
    '\ua4f3wner', // Lisu
    '\u019fwner', // O with a bar
    '\u13aadmin', // Cherokee, whose small letter looks like no a
    'Adrnin',
    'M\u0430nager',
    'МЕМВЕR', // Cyrillic but for the last letter
    'lnspector', // With a small L
    '\u0406nspector', // Ukrainian І
    '1nspector',
    'Level l',
    'Level I',
    'Level |',
    'Kepi\u0432\u043d\u0438\u043a', // Latin in front
  ]
  for (const name of alike) {
    assertProblem(await create(ann, name), 409, 'role_name_taken')
    assertProblem(await ann.api.patch(other.path, { name }), 409, 'role_name_taken')
    assertProblem(await ann.api.patch(`${other.path}?dryRun=true`, { name }), 409, 'role_name_taken')
  }
  for (const name of ['Level 2', 'Level II', 'Руководитель', '管理', 'Mail', 'Mall'])
    assert.equal((await create(ann, name)).status, 201, name)
  assert.equal((await ann.api.patch(other.path, { name: '\u041ether' })).status, 200, 'its own it may respell')
})

it('accepts one of twenty parallel roles whose names look alike', async () => {
  const ann = await signUp(service.client)
  const names = ['Boss', 'B\u043ess', 'B0ss', 'BO\u0405S']
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => create(ann, names[i % 4] as string)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)])
})

it('compares with roles that were created before the check existed, also where two of them look alike', async () => {
  const ann = await signUp(service.client)
  for (const name of ['Desk', 'Boss']) await createRole(ann, name)
  const twin = await createRole(ann, 'Twin')
  await service.db.query(
    `update roles set name_skeleton = null, name_shape = null, name = case when name = 'Twin' then 'B0ss' else name end
     where company_id = $1`,
    [ann.company.id],
  )
  for (const name of ['0wner', 'D\u0435sk', 'B\u043ess']) assertProblem(await create(ann, name), 409, 'role_name_taken')
  assert.equal((await ann.api.patch(twin.path, { description: 'As it was' })).status, 200)
  assert.equal((await ann.api.patch(twin.path, { name: 'Twin' })).status, 200)
})

it('allows changes of a role whose name looked like another one before the check existed, also as a dry run', async () => {
  const ann = await signUp(service.client)
  const role = await createRole(ann, 'Twin', ['users:read', 'users:create'])
  await service.db.query(
    `update roles set name = $2, name_folded = lower($2), name_skeleton = null, name_shape = null where id = $1`,
    [role.id, '\u041ewner'],
  )
  for (const change of [
    { permissions: ['users:read'] },
    { description: 'Less' },
    { name: '\u041ewner', permissions: [] },
  ])
    for (const query of ['?dryRun=true', ''])
      assert.equal((await ann.api.patch(role.path + query, change)).status, 200, JSON.stringify(change) + query)
  const { name, description, permissions } = (await ann.api.get(role.path)).body.data
  assert.deepEqual([name, description, permissions], ['\u041ewner', 'Less', []])
  for (const query of ['?dryRun=true', ''])
    assertProblem(await ann.api.patch(role.path + query, { name: '\u041eWNER' }), 409, 'role_name_taken')
})

it('accepts joiners and selectors only where a script or an emoji needs them', async () => {
  const ann = await signUp(service.client)
  const good = [
    'می\u200cخواهم', // Persian
    'مدیر\u200cعامل', // Persian, behind a letter that does not join
    'क\u094d\u200dष', // Hindi
    'त\u094d\u200cम',
    'ශ\u0dca\u200dර', // Sinhala
    '👩\u200d👩\u200d👧',
    '🧑🏽\u200d🚀',
    '🏳\ufe0f\u200d🌈',
    '❤\ufe0f',
    '1\ufe0f\u20e3',
  ]
  const bad = [
    'Own\u200cer',
    'Own\u200der',
    'می\u200c',
    'ب\u200c\u200cب',
    'क\u200dष',
    '👩\u200d',
    'Owner\ufe0f',
    'Level 1\ufe0f',
    '❤\ufe0f\ufe0f',
    'Owner\u{e0041}',
    '🏴\u{e0067}\u{e0062}\u{e007f}',
    'Own\u00ader',
    'Own\u034fer',
    'Own\u2060er',
    'Owner\u3164',
    '葛\u{e0100}',
  ]
  for (const name of good) {
    const { status, body } = await create(ann, name)
    assert.deepEqual([status, body.data?.name], [201, name.normalize('NFC')])
    assertProblem(await create(ann, name.replaceAll(/\u200c|\u200d|\ufe0f/g, '')), 409, 'role_name_taken')
  }
  for (const name of bad) assertProblem(await create(ann, name), 400, 'validation_failed')
})

it('keeps the forms of letters in names of people', async () => {
  const ann = await signUp(service.client)
  for (const name of ['葛\u{e0100}城', 'ᠠ\u180bᠨ'])
    assert.equal((await ann.api.put('/auth/profile', { name })).body.data.name, name)
  for (const name of ['Ann\u{e0100}', 'Ann\u180b'])
    assertProblem(await ann.api.put('/auth/profile', { name }), 400, 'validation_failed')
})
