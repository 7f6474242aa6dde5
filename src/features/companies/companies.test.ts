import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addMember, join, rolesOf } from '../../../test/support/members.ts'
import { assertProblem, type Person, registration, signIn, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestApp()

const at = ({ company }: Person) => `/companies/${company.id}`
const aSlug = () => `slug-${newId()}`
const recordsOf = (companyId: string, action: string) =>
  service.db.query(
    `select actor_id, target_type, target_id, target_label, changes from audit_records
     where company_id = $1 and action = $2 and outcome = 'done' order by id`,
    [companyId, action],
  )

describe('a company', () => {
  it('has one shape when it is created, listed and read', async () => {
    const ann = await signUp(service.client)
    const created = await ann.api.post('/companies', { name: ' Åcme  Ltd ', taxId: 'X 1', slug: aSlug() })
    assert.equal(created.status, 201)
    const { id, slug, created_at, updated_at } = created.body.data
    const expected = {
      id,
      name: 'Åcme  Ltd',
      slug,
      taxId: 'X 1',
      timezone: '',
      locale: '',
      status: 'active',
      roles: ['Owner'],
      created_at,
      updated_at,
      deleted_at: null,
      restorable_until: null,
    }
    assert.deepEqual(created.body.data, expected)
    assert.deepEqual((await ann.api.get(`/companies/${id}`)).body.data, expected)
    const { data, total } = (await ann.api.get('/companies?search=ACME')).body
    assert.deepEqual({ data, total }, { data: [expected], total: 1 })
  })

  it('is readable by its path for every active member, and for no other account', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const bob = await join(ann, await signUp(service.client))
    const own = await bob.api.get(at(ann), { company: eve.company.id })
    assert.deepEqual([own.status, own.body.data.roles], [200, ['Member']])
    for (const id of [ann.company.id, newId()])
      assertProblem(await eve.api.get(`/companies/${id}`), 404, 'company_not_found')
    await ann.api.patch(`/companies/users/${bob.id}`, { status: 'inactive' })
    assertProblem(await bob.api.get(at(ann)), 404, 'company_not_found')
  })

  it('is found by its name, in pages, with wildcards taken literally', async () => {
    const ann = await signUp(service.client, { companyName: 'Zeta' })
    for (const name of ['Éclair', 'eclipse', '100 % Wood'])
      await ann.api.post('/companies', { name, taxId: '1', slug: aSlug() })
    const names = async (query: string) =>
      (await ann.api.get(`/companies?${query}`)).body.data.map(({ name }: { name: string }) => name)
    assert.deepEqual(await names(''), ['100 % Wood', 'Éclair', 'eclipse', 'Zeta'])
    assert.deepEqual(await names('search=ECL&sortDir=desc'), ['eclipse', 'Éclair'])
    assert.deepEqual(await names('search=%25'), ['100 % Wood'])
    assert.deepEqual(await names('search=_'), [])
    assert.deepEqual(await names('limit=1&page=2'), ['Éclair'])
    for (const query of ['status=x', 'sortBy=slug', 'limit=0', 'search=%00'])
      assertProblem(await ann.api.get(`/companies?${query}`), 400, 'validation_failed')
  })
})

describe('changing a company', () => {
  it('changes the sent fields, keeps the others, and is recorded', async () => {
    const ann = await signUp(service.client)
    const before = (await ann.api.get(at(ann))).body.data
    const slug = aSlug()
    const change = { name: 'New Name', slug, taxId: 'N-1', timezone: 'Europe/Lisbon', locale: 'pt-br' }
    const changed = await ann.api.patch(at(ann), change)
    assert.equal(changed.status, 200)
    const { updated_at } = changed.body.data
    assert.deepEqual(changed.body.data, { ...before, ...change, locale: 'pt-BR', updated_at })
    assert.ok(updated_at > before.updated_at)
    assert.deepEqual((await ann.api.get('/auth/me')).body.data.tenants, [
      { id: ann.company.id, name: 'New Name', slug, status: 'active' },
    ])
    assert.equal((await ann.api.get('/companies?search=new')).body.total, 1)

    const cleared = await ann.api.patch(at(ann), { timezone: null, locale: '' })
    assert.deepEqual([cleared.body.data.timezone, cleared.body.data.locale], ['', ''])
    assert.equal(cleared.body.data.name, 'New Name')
    const [first, second] = await recordsOf(ann.company.id, 'companies.update')
    assert.deepEqual(first, {
      actor_id: ann.id,
      target_type: 'company',
      target_id: ann.company.id,
      target_label: before.name,
      changes: {
        name: { from: before.name, to: 'New Name' },
        slug: { from: before.slug, to: slug },
        taxId: { from: before.taxId, to: 'N-1' },
        timezone: { from: '', to: 'Europe/Lisbon' },
        locale: { from: '', to: 'pt-BR' },
      },
    })
    assert.deepEqual(Object.keys(second?.changes), ['locale', 'timezone'])
  })

  it('tells its owners of a new name, by the former one, and of nothing else', async () => {
    const ann = await signUp(service.client, { companyName: 'Acme Mills' })
    const [owner, admin] = [
      await join(ann, await signUp(service.client), ['Owner']),
      await join(ann, await signUp(service.client), ['Admin']),
    ]
    for (const body of [{ name: 'Acme Mills', taxId: 'N-2' }, { name: 'Trial Two' }, { locale: 'es' }])
      assert.equal((await admin.api.patch(at(ann), body)).status, 200)
    for (const { email } of [ann, owner]) {
      const told = await service.mailbox.to(email, 'company_renamed')
      assert.equal(told.length, 1)
      assert.match(told[0]?.subject ?? '', /^Acme Mills has a new name/)
      assert.ok(told[0]?.text.includes('Trial Two') && told[0].text.includes(`(${admin.email})`))
    }
    assert.equal((await service.mailbox.to(admin.email, 'company_renamed')).length, 0)
  })

  it('changes nothing with an empty body or unchanged values', async () => {
    const ann = await signUp(service.client)
    const before = (await ann.api.get(at(ann))).body.data
    for (const body of [
      {},
      { name: before.name, slug: before.slug, timezone: '' },
      { status: 'deleted', id: newId() },
    ]) {
      const { status, body: answer } = await ann.api.patch(at(ann), body)
      assert.deepEqual([status, answer.data], [200, before])
    }
    assert.deepEqual(await recordsOf(ann.company.id, 'companies.update'), [])
  })

  it('refuses malformed names, numbers, slugs, time zones and languages', async () => {
    const ann = await signUp(service.client)
    for (const [field, bad] of Object.entries({
      name: ['', '  ', null, 'x'.repeat(121), 5],
      taxId: ['', null, 'x'.repeat(51)],
      slug: ['', null, 'Upper', '-a', 'a b', 'x'.repeat(64)],
      timezone: ['Mars/Base', '+01:00', 'x'.repeat(65)],
      locale: ['english!', 'x'.repeat(36)],
    }))
      for (const value of bad) {
        const answer = await ann.api.patch(at(ann), { [field]: value })
        assertProblem(answer, 400, 'validation_failed')
        assert.equal(answer.body.details[0].path, field)
      }
  })

  it('needs companies:update in this company', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const manager = await join(ann, await signUp(service.client), ['Manager'])
    const admin = await join(ann, await signUp(service.client), ['Admin'])
    const refused = await manager.api.patch(at(ann), { name: 'X' })
    assertProblem(refused, 403, 'permission_missing')
    assert.equal(refused.body.required, 'companies:update')
    assertProblem(await eve.api.patch(at(ann), { name: 'X' }), 404, 'company_not_found')
    assert.equal((await admin.api.patch(at(ann), { taxId: 'By Admin' })).status, 200)
  })

  it('checks the permission again under the lock, so a demoted member changes nothing', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client), ['Admin'])
    const roles = await rolesOf(ann)
    await service.db.query('begin')
    await service.db.query('select from companies where id = $1 for update', [ann.company.id])
    const late = bob.api.patch(at(ann), { name: 'Late' })
    await service.db.waitForLock()
    await service.db.query('update membership_roles set role_id = $1 where account_id = $2 and company_id = $3', [
      roles.Member,
      bob.id,
      ann.company.id,
    ])
    await service.db.query('commit')
    assertProblem(await late, 403, 'permission_missing')
  })

  it('accepts one of twenty updates with one ETag, and answers a current ETag with 304', async () => {
    const ann = await signUp(service.client)
    const etag = (await ann.api.get(at(ann))).headers.get('etag') as string
    assert.equal((await ann.api.get(at(ann), { headers: { 'if-none-match': etag } })).status, 304)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        ann.api.patch(at(ann), { name: `Edit ${i}` }, { headers: { 'if-match': etag } }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(412)])
    const tag = answers.find(({ status }) => status === 200)?.headers.get('etag')
    assert.equal((await ann.api.get(at(ann))).headers.get('etag'), tag)
    assertProblem(await ann.api.delete(at(ann), undefined, { headers: { 'if-match': etag } }), 412, 'version_mismatch')
    assert.equal((await ann.api.delete(at(ann), undefined, { headers: { 'if-match': tag as string } })).status, 200)
  })
})

describe('a slug', () => {
  it('stays reserved with at most ten former ones, so that no company hoards names', async () => {
    const ann = await signUp(service.client)
    for (let i = 0; i < 10; i++) assert.equal((await takenBy(ann, aSlug())).status, 200)
    const before = (await ann.api.get(at(ann))).body.data
    assertProblem(await takenBy(ann, aSlug()), 422, 'slug_limit_reached')
    assert.deepEqual((await ann.api.get(at(ann))).body.data, before)
    assert.equal((await takenBy(ann, ann.company.slug)).status, 200)
  })

  const takenBy = (person: Person, slug: string) => person.api.patch(at(person), { slug })
  const letTimePass = (slug: string, days: number) =>
    service.db.query(`update slugs set reserved_until = reserved_until - make_interval(days => $2) where slug = $1`, [
      slug,
      days,
    ])

  it('in use is refused when creating, signing up and renaming', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const { slug } = ann.company
    assertProblem(await takenBy(eve, slug), 409, 'slug_taken')
    assertProblem(await eve.api.post('/companies', { name: 'X', taxId: '1', slug }), 409, 'slug_taken')
    assertProblem(await service.client.post('/auth/register', registration({ slug })), 409, 'slug_taken')
    assert.equal((await eve.api.get(at(eve))).body.data.slug, eve.company.slug)
  })

  it('stays reserved for 90 days for the company that has changed it', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const { slug } = ann.company
    const others = () => [
      takenBy(eve, slug),
      eve.api.post('/companies', { name: 'X', taxId: '1', slug }),
      service.client.post('/auth/register', registration({ slug })),
    ]
    for (let round = 0; round < 2; round++) {
      assert.equal((await takenBy(ann, aSlug())).status, 200)
      for (const other of others()) assertProblem(await other, 409, 'slug_taken')
      assert.equal((await takenBy(ann, slug)).status, 200)
    }
    await takenBy(ann, aSlug())
    await letTimePass(slug, 89)
    for (const other of others()) assertProblem(await other, 409, 'slug_taken')
    await letTimePass(slug, 1)
    assert.equal((await takenBy(eve, slug)).status, 200)
    assertProblem(await takenBy(ann, slug), 409, 'slug_taken')
  })

  it('goes to one of twenty parallel requests, both a new and a released one', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => signUp(service.client)))
    for (const wanted of [aSlug(), await freed()]) {
      const answers = await Promise.all(people.map((person) => takenBy(person, wanted)))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(409)])
      const [{ holders }] = (await service.db.query(
        `select count(*)::int as holders from slugs join companies on reserved_for = companies.id and companies.slug = slugs.slug
         where slugs.slug = $1 and reserved_until is null`,
        [wanted],
      )) as [{ holders: number }]
      assert.equal(holders, 1)
    }
  })

  const freed = async () => {
    const ann = await signUp(service.client)
    await takenBy(ann, aSlug())
    await letTimePass(ann.company.slug, 90)
    return ann.company.slug
  }

  it('never belongs to two companies that swap theirs in parallel', async () => {
    for (let round = 0; round < 5; round++) {
      const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
      const answers = await Promise.all([takenBy(ann, eve.company.slug), takenBy(eve, ann.company.slug)])
      for (const answer of answers) assertProblem(answer, 409, 'slug_taken')
      assert.equal((await ann.api.get(at(ann))).body.data.slug, ann.company.slug)
    }
  })
})

describe('leaving a company', () => {
  it('ends only the own membership', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    const left = await bob.api.post(`${at(ann)}/leave`)
    assert.deepEqual([left.status, left.body.data], [200, { id: ann.company.id, deleted: false }])
    assertProblem(await bob.api.get(at(ann)), 404, 'company_not_found')
    const { tenants, companyRoles } = (await bob.api.get('/auth/me')).body.data
    assert.equal(tenants.length, 1)
    assert.equal(companyRoles[ann.company.id], undefined)
    assert.equal((await ann.api.get('/companies/users')).body.total, 1)
    const [record] = await recordsOf(ann.company.id, 'users.leave')
    assert.deepEqual(record, {
      actor_id: bob.id,
      target_type: 'member',
      target_id: bob.id,
      target_label: bob.email,
      changes: { roles: { from: ['Member'] } },
    })
    assert.equal((await ann.api.post('/companies/users', { name: 'B', email: bob.email })).status, 201)
  })

  it('is refused to the only owner and to strangers, and allowed to inactive members', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    assertProblem(await ann.api.post(`${at(ann)}/leave`), 422, 'last_owner')
    assertProblem(await eve.api.post(`${at(ann)}/leave`), 404, 'company_not_found')
    const bob = await join(ann, await signUp(service.client), ['Owner'])
    await ann.api.patch(`/companies/users/${bob.id}`, { status: 'inactive' })
    assert.equal((await bob.api.post(`${at(ann)}/leave`)).status, 200)
    assertProblem(await bob.api.post(`${at(ann)}/leave`), 404, 'company_not_found')
    assertProblem(await ann.api.post(`${at(ann)}/leave`), 422, 'last_owner')
  })

  it('keeps one owner when all of them leave in parallel', async () => {
    for (let round = 0; round < 10; round++) {
      const ann = await signUp(service.client)
      const bob = await join(ann, await signUp(service.client), ['Owner'])
      const answers = await Promise.all([ann, bob].map(({ api }) => api.post(`${at(ann)}/leave`)))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422])
    }
  })

  it('ends the management of the account', async () => {
    const ann = await signUp(service.client)
    const added = await addMember(ann)
    await service.db.query(`update accounts set must_change_password = false where id = $1`, [added.id])
    await service.db.query(`delete from passwords where account_id = $1`, [added.id])
    const bob = await givePassword(added)
    assert.equal((await bob.api.post(`${at(ann)}/leave`)).status, 200)
    const [row] = await service.db.query('select managed_by from accounts where id = $1', [added.id])
    assert.equal(row?.managed_by, null)
  })

  /** Signs a new member in with a password set in the database. */
  async function givePassword({ id, email }: { id: string; email: string }): Promise<Person> {
    const other = await signUp(service.client)
    await service.db.query(
      `insert into passwords (account_id, kind, hash) select $1, 'chosen', hash from passwords where account_id = $2`,
      [id, other.id],
    )
    return signIn(service.client, email)
  }
})
