import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { totpCode, totpStepAt } from '../src/lib/totp.ts'
import { startDnsServer } from './support/dns-server.ts'
import { anyDomain, publish, verify } from './support/domains.ts'
import { registerInvited } from './support/invitations.ts'
import { startMailServer } from './support/mail.ts'
import { anyEmail, assertProblem, PASSWORD, signIn, signUp } from './support/people.ts'
import { startRunningService } from './support/running.ts'
import { until } from './support/until.ts'

// What joins and protects an account comes by email. Here links and codes are read from what a mail server has received, encoded
// and wrapped, with domains that a name server of their own proves.

const APP_URL = 'https://app.example.com'
const [mailServer, dns] = [await startMailServer(), await startDnsServer()]
const service = await startRunningService({ SMTP_URL: mailServer.url, DNS_SERVERS: dns.address, APP_URL })
after(async () => {
  await service.close()
  await mailServer.close()
  await dns.close()
})

/** The newest email to an address with these words in its subject. */
async function received(to: string, subject: RegExp) {
  const find = () =>
    mailServer.received.findLast(({ recipients, mail }) => recipients.includes(to) && subject.test(mail.subject ?? ''))
  await until(() => find() !== undefined)
  const { mail, raw } = find() as NonNullable<ReturnType<typeof find>>
  for (const line of raw.split('\r\n')) assert.ok(line.length <= 998, 'a line is longer than SMTP allows')
  return { text: mail.text ?? '', html: mail.html || '' }
}

/** The token of the link to a page, the same in both parts. */
function tokenIn({ text, html }: { text: string; html: string }, page: string): string {
  const link = new RegExp(`${APP_URL}/${page}\\?token=([\\w-]+)`)
  const token = link.exec(text)?.[1]
  assert.ok(token, text)
  assert.equal(link.exec(html.replaceAll('&amp;', '&'))?.[1], token)
  return token
}

it('People join and protect their accounts by what a mail server has received', async () => {
  const ann = await signUp(service.client, { name: 'Ann Lovelace', companyName: 'Peñas y Ñandúes' })
  const email = anyEmail()
  const invited = await ann.api.post('/companies/invitations', { email, name: 'Zoë', locale: 'es' })
  assert.equal(invited.status, 201)
  const invitation = await received(email, /^Invitación a Peñas y Ñandúes/)
  const { status, body } = await registerInvited(service, tokenIn(invitation, 'invitation'), { name: 'Zoë' })
  assert.deepEqual([status, body.data.user.email_verified], [201, true])
  await received(ann.email, /^Zoë \(\S+\) joined /)

  const zoe = service.client.with({ token: body.data.accessToken })
  assertProblem(await zoe.post('/auth/factors/totp', {}), 403, 'mailbox_code_required')
  const emailCode = /^\d{8}$/m.exec((await received(email, /código/i)).text)?.[0]
  const { id, secret } = (await zoe.post('/auth/factors/totp', { emailCode })).body.data
  const code = totpCode(secret, totpStepAt(Date.now()))
  assert.equal((await zoe.post(`/auth/factors/totp/${id}/confirm`, { code })).status, 200)
  const added = await received(email, /^Se agregó un segundo factor/)
  const undo = { token: tokenIn(added, 'undo-factor-change') }
  assert.equal((await service.client.post('/auth/undo-factor-change', undo)).status, 200)
  assertProblem(await zoe.get('/auth/me'), 401, 'token_invalid')
  const chosen = {
    token: tokenIn(await received(email, /^Se deshizo el cambio/), 'reset-password'),
    newPassword: PASSWORD,
  }
  assert.equal((await service.client.post('/auth/reset-password', chosen)).status, 200)
  assert.deepEqual((await (await signIn(service.client, email)).api.get('/auth/factors')).body.data.factors, [])
})

it('People join by a domain that a name server has proved, with a code that a mail server has received', async () => {
  const ann = await signUp(service.client)
  const domain = (await ann.api.post('/companies/domains', { name: anyDomain() })).body.data
  assertProblem(await verify(ann, domain), 422, 'domain_record_not_found')
  publish(dns, domain)
  assert.equal((await verify(ann, domain)).body.data.status, 'verified')
  await ann.api.patch(`/companies/domains/${domain.id}`, { joinPolicy: 'auto' })

  const bob = await signUp(service.client, { email: `bob@${domain.name}`, name: 'Bob' })
  await service.client.post('/auth/verify-email/resend', { email: bob.email })
  const token = tokenIn(await received(bob.email, /confirm/i), 'verify-email')
  assert.equal((await service.client.post('/auth/verify-email', { token })).status, 200)
  const join = (body: object) => bob.api.post(`/auth/companies/${ann.company.id}/join`, body)
  assertProblem(await join({}), 403, 'mailbox_code_required')
  const emailCode = /^\d{8}$/m.exec((await received(bob.email, /code/i)).text)?.[0]
  assert.equal((await join({ emailCode })).body.data.status, 'joined')
  assert.match((await received(ann.email, /^Bob joined /)).text, new RegExp(bob.email))
})
