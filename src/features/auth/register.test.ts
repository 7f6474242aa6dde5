import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTestApp, useTestApp } from '../../../test/support/app.ts'
import { anyEmail, assertProblem, PASSWORD, registration, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()

it('creates an account with its first company and makes it the owner', async () => {
  const wanted = registration({ email: '  Ann.Smith+x@Example.COM ', name: ' Ann  ', companyName: 'Acme 77 Ltd' })
  const { status, body } = await service.client.post('/auth/register', wanted)

  assert.equal(status, 201)
  const { user, tenants, companyRoles, companyPermissions, accessToken, refreshToken } = body.data
  assert.equal(user.email, 'ann.smith+x@example.com')
  assert.equal(user.name, 'Ann')
  assert.equal(user.must_change_password, false)
  assert.equal('pending_email' in user, false)
  const [{ id, ...company }, ...others] = tenants
  assert.deepEqual([company, others], [{ name: wanted.companyName, slug: 'acme-77-ltd', status: 'active' }, []])
  assert.deepEqual(companyRoles, { [id]: ['Owner'] })
  assert.equal(companyPermissions[id].includes('companies:delete'), true)
  assert.equal(accessToken.split('.').length, 3)
  assert.equal(refreshToken.split('.').length, 3)
})

it('creates the four system roles and an audit record with every company', async () => {
  const ann = await signUp(service.client)
  const roles = await service.db.query('select name, system_key from roles where company_id = $1 order by name', [
    ann.company.id,
  ])
  assert.deepEqual(
    roles.map(({ name }) => name),
    ['Admin', 'Manager', 'Member', 'Owner'],
  )

  const [record] = await service.db.query('select * from audit_records where company_id = $1', [ann.company.id])
  assert.equal(record?.action, 'companies.create')
  assert.equal(record?.actor_id, ann.id)
  assert.equal(record?.outcome, 'done')
})

it('refuses the address of an existing account in any letter case, and writes nothing', async () => {
  const ann = await signUp(service.client)
  const again = registration({ email: ann.email.toUpperCase() })
  assertProblem(await service.client.post('/auth/register', again), 409, 'email_taken')
  assert.deepEqual(await service.db.query('select id from companies where name = $1', [again.companyName]), [])
})

it('refuses a slug in use, generated or given, and writes nothing', async () => {
  const ann = await signUp(service.client)
  const cases: [object, string][] = [
    [{ companyName: ann.company.name }, 'company_name_taken'],
    [{ slug: ann.company.slug }, 'slug_taken'],
  ]
  for (const [details, code] of cases) {
    const wanted = registration(details)
    assertProblem(await service.client.post('/auth/register', wanted), 409, code)
    assert.deepEqual(await service.db.query('select id from accounts where email = $1', [wanted.email]), [])
  }
})

it('creates one account from twenty parallel registrations of one address', async () => {
  const email = anyEmail()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => service.client.post('/auth/register', registration({ email }))),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)])
  const [companies] = await service.db.query(
    'select count(*)::int as count from memberships join accounts on accounts.id = account_id where accounts.email = $1',
    [email],
  )
  assert.equal(companies?.count, 1)
})

it('gives a slug to one of twenty parallel registrations', async () => {
  const slug = registration().companyName.toLowerCase().replace(' ', '-')
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => service.client.post('/auth/register', registration({ slug }))),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)])
})

it('derives a slug from any name', async () => {
  const slugs = await Promise.all(
    ['Ñandú & Söhne GmbH 7', '株式会社', '💩', 'x'.repeat(120)].map(
      async (companyName) => (await signUp(service.client, { companyName })).company.slug,
    ),
  )
  assert.match(slugs[0] as string, /^nandu-and-soehne-gmbh-7$/)
  for (const slug of slugs) assert.match(slug as string, /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
})

it('requires every field, not blank, and names the invalid ones', async () => {
  for (const field of ['email', 'password', 'name', 'companyName', 'taxId']) {
    for (const value of [undefined, null, '', '   ', 7, {}, ['x']]) {
      const answer = await service.client.post('/auth/register', { ...registration(), [field]: value })
      assertProblem(answer, 400, 'validation_failed')
      assert.deepEqual(
        answer.body.details.map(({ path }: { path: string }) => path).filter((path: string) => path !== field),
        [],
      )
    }
  }
})

it('requires a password of 8 to 128 characters with upper case, lower case and a digit', async () => {
  const bad = [
    'Passw0r',
    'password1',
    'PASSWORD1',
    'Passwordx',
    `Aa1${'x'.repeat(126)}`,
    'Passw0rd\0',
    `Passw0rd\ud800`,
  ]
  for (const password of bad) {
    assertProblem(await service.client.post('/auth/register', registration({ password })), 400, 'validation_failed')
  }
  for (const password of ['Passw0rd', `Aa1${'x'.repeat(125)}`, 'Ñandú999x', '  Aa1  pass  ']) {
    assert.equal((await service.client.post('/auth/register', registration({ password }))).status, 201)
  }
  const email = `Aa1${anyEmail()}`
  assertProblem(
    await service.client.post('/auth/register', registration({ email, password: email })),
    400,
    'validation_failed',
  )
})

it('accepts plain email addresses only', async () => {
  const bad = [
    'a',
    'a@b',
    'a@b@c.de',
    '"a b"@c.de',
    'a@[127.0.0.1]',
    'Ann <a@b.de>',
    'a@b.de, c@d.ef',
    'a@b..de',
    '.a@b.de',
    'a@-b.de',
  ]
  const odd = [
    'a\u212A@b.de',
    'а@b.de',
    'a@b.de\r\nBcc: x@y.zz',
    'a\0@b.de',
    `${'a'.repeat(65)}@b.de`,
    `a@${'b.'.repeat(130)}de`,
  ]
  for (const email of [...bad, ...odd]) {
    assertProblem(await service.client.post('/auth/register', registration({ email })), 400, 'validation_failed')
  }
})

it('drops unknown fields and stores text as one normalized line', async () => {
  const wanted = {
    ...registration({ name: 'Jose\u0301' }),
    id: 'x',
    email_verified: true,
    role: 'Owner',
  }
  const { body } = await service.client.post('/auth/register', wanted)
  assert.equal(body.data.user.name, 'José')
  assert.equal(body.data.user.email_verified, false)
  for (const name of ['a\nb', 'a\0b', 'a\u202eb', 'a\ud800b', 'x'.repeat(101)]) {
    assertProblem(await service.client.post('/auth/register', registration({ name })), 400, 'validation_failed')
  }
})

it('writes no password to audit log, log or outbox', async () => {
  await signUp(service.client, { password: 'Unmistakable-77' })
  const rows = await service.db.query(
    `select to_jsonb(a)::text || coalesce((select string_agg(to_jsonb(l)::text, '') from emails l), '') as text from audit_records a`,
  )
  assert.equal(
    rows.some(({ text }) => text.includes('Unmistakable')),
    false,
  )
  assert.equal(service.logged.join('').includes('Unmistakable'), false)
})

it('emails a verification link when REQUIRE_VERIFIED_EMAIL is set', async () => {
  const strict = await startTestApp({ REQUIRE_VERIFIED_EMAIL: 'true' })
  try {
    const ann = await signUp(strict.client)
    const token = await strict.mailbox.token(ann.email, 'confirm_email')
    assert.equal((await ann.api.get('/auth/me')).body.data.user.email_verified, false)
    assert.equal((await strict.client.post('/auth/verify-email', { token })).status, 200)
    assert.equal((await ann.api.get('/auth/me')).body.data.user.email_verified, true)
    assertProblem(await strict.client.post('/auth/verify-email', { token }), 400, 'link_invalid')
  } finally {
    await strict.close()
  }
})

it('keeps the language for the account and its company, so that emails are in it', async () => {
  const strict = await startTestApp({ REQUIRE_VERIFIED_EMAIL: 'true' })
  try {
    const ann = await signUp(strict.client, { locale: 'pt-br' })
    const { email, company, api } = ann
    const [sent] = await strict.mailbox.to(email, 'confirm_email')
    assert.match(sent?.subject ?? '', /Confirme/)
    assert.equal((await api.get('/auth/me')).body.data.user.locale, 'pt-BR')
    assert.equal((await api.get(`/companies/${company.id}`)).body.data.locale, 'pt-BR')
    const bob = anyEmail()
    assert.equal(
      (await strict.client.post('/auth/verify-email', { token: await strict.mailbox.token(email, 'confirm_email') }))
        .status,
      200,
    )
    assert.equal((await api.post('/companies/users', { name: 'Bob', email: bob })).status, 201)
    assert.match((await strict.mailbox.to(bob, 'temporary_password'))[0]?.subject ?? '', /Sua conta/)
    for (const locale of ['x', 'pt_BR', 7, 'e'.repeat(36)])
      assertProblem(await strict.client.post('/auth/register', { ...registration(), locale }), 400, 'validation_failed')
    for (const locale of [null, '']) {
      const { api } = await signUp(strict.client, { locale })
      assert.equal((await api.get('/auth/me')).body.data.user.locale, '')
    }
  } finally {
    await strict.close()
  }
})

it('refuses common passwords, and names with digits, when PASSWORD_BLOCKLIST is set', async () => {
  const strict = await startTestApp({ PASSWORD_BLOCKLIST: 'true', APP_NAME: 'Zyx Obrand' })
  try {
    const common = ['Password123', 'P@ssw0rd1', 'dRAGON2024!', '1qaz2wsX', 'Contraseña12', 'aA1!aA1!aA1!', 'Password1 ']
    for (const password of [...common, 'Aa1'.repeat(42)])
      assertProblem(await strict.client.post('/auth/register', registration({ password })), 400, 'validation_failed')
    const bea = { email: 'bea.meyer-5@corner-shop.example.com' }
    for (const password of [
      'Tenantry-2026',
      'aPp!12345',
      'Meyer1975',
      'BeaMeyer-5',
      '99Corner99',
      '2026%Example',
      'ZyxObrand-2026',
      'Obrand77',
      'CornerShop-1',
    ]) {
      assertProblem(
        await strict.client.post('/auth/register', registration({ ...bea, password })),
        400,
        'validation_failed',
      )
    }
    const good = registration({ ...bea, password: 'Meyer-of-the-corner-5' })
    assert.equal((await strict.client.post('/auth/register', good)).status, 201)
    assert.equal((await strict.client.post('/auth/register', registration({ password: PASSWORD }))).status, 201)
  } finally {
    await strict.close()
  }
})
