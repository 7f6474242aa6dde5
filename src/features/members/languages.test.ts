import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addMember, emailedPassword, join } from '../../../test/support/members.ts'
import { PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import type { EmailKind } from '../mail/outbox/emails.ts'

const service = await useTestApp()

/** The owner of a company with a language and a time zone. */
async function createOwner(locale: string, timezone = ''): Promise<Person> {
  const person = await signUp(service.client)
  const values = [person.company.id, locale, timezone]
  await service.db.query('update companies set locale = $2, timezone = $3 where id = $1', values)
  return person
}

const text = async (email: string, kind: EmailKind) => (await service.mailbox.to(email, kind)).at(-1)?.text ?? ''

it('writes to a new account in the language of the company, now and later', async () => {
  const ann = await createOwner('es-MX', 'America/Mexico_City')
  const { email } = await addMember(ann)

  const welcome = await text(email, 'temporary_password')
  assert.match(welcome, /^Hola, New Member:\n\n.+ creó una cuenta para ti/)
  const password = await emailedPassword(service, email)
  const bob = await signIn(service.client, email, password)
  const chosen = { currentPassword: password, newPassword: PASSWORD }
  assert.equal((await bob.api.post('/auth/change-temporary-password', chosen)).status, 200)
  assert.match(await text(email, 'password_changed'), /^Hola, New Member:\n\nLa contraseña de tu cuenta/)
  const { user } = (await bob.api.get('/auth/me')).body.data
  assert.deepEqual([user.locale, user.timezone], ['es-MX', 'America/Mexico_City'])
})

it('states the end of the temporary password in the time zone of the company', async () => {
  const ann = await createOwner('en-GB', 'America/Mexico_City')
  const bob = await addMember(ann)
  const ends = new Date('2031-01-04T00:35:00Z')
  await service.db.query(`update passwords set expires_at = $2 where account_id = $1`, [bob.id, ends])

  assert.match(
    await text(bob.email, 'temporary_password'),
    /is valid for 72 hours, until 3 January 2031 at 18:35 GMT-6\.\n/,
  )
})

it('writes to a new account in English and UTC when the company has no language and time zone', async () => {
  const { email } = await addMember(await signUp(service.client))

  assert.match(
    await text(email, 'temporary_password'),
    /^Hello New Member,\n\nCompany .+ is valid for 72 hours, until [^\n]+ UTC\.\n/s,
  )
})

it("writes in the member's own language, or in the company's when the member has none", async () => {
  const ann = await createOwner('pt-BR')
  const [bob, eve] = [await signUp(service.client), await signUp(service.client)]
  assert.equal((await bob.api.put('/auth/profile', { locale: 'es-AR' })).status, 200)
  for (const person of [bob, eve]) {
    await join(ann, person)
    assert.equal((await ann.api.post(`/companies/users/${person.id}/reset-password-email`)).status, 200)
  }

  assert.match(await text(bob.email, 'added_to_company'), /^Hola, .+:\n\n.+ te agregó/)
  assert.match(await text(bob.email, 'password_reset'), /^Hola, .+:\n\n.+ solicitó una contraseña temporal/)
  assert.match(await text(eve.email, 'added_to_company'), /^Olá, .+!\n\n.+ adicionou você/)
  assert.match(await text(eve.email, 'password_reset'), /^Olá, .+!\n\n.+ solicitou uma senha temporária/)
})

it('keeps the language of an existing account', async () => {
  const ann = await createOwner('pt-BR', 'America/Sao_Paulo')
  const eve = await signUp(service.client)
  await join(ann, eve)

  const { user } = (await eve.api.get('/auth/me')).body.data
  assert.deepEqual([user.locale, user.timezone], ['', ''])
})
