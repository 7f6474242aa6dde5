import { randomBytes } from 'node:crypto'
import type { Brand } from '../../../brand/brand.ts'
import { newId } from '../../../lib/ids.ts'
import { keysFrom } from '../../../lib/keys.ts'
import type { LanguageTag } from '../../../lib/languages.ts'
import type { EmailKind, EmailParams } from '../outbox/emails.ts'
import { type Message, messageOf } from '../templates/render-message.ts'

const ACME = { company: 'Acme', companyId: '0199d0c0-7a11-7c3e-9d52-3f1e5b7a9c03' }

/** Sample params of each kind of email; `kid` names the key that a temporary password is derived with. */
export const samplesWith = (kid: string): { [Kind in EmailKind]: EmailParams[Kind] } => ({
  confirm_email: {},
  change_email: {},
  email_change_requested: { newEmail: 'ana.lima@example.org' },
  email_changed: { newEmail: 'ana.lima@example.org' },
  email_restored: {},
  email_removed: {},
  email_replaced: { newEmail: 'ana.lima@example.org' },
  reset_password: {},
  password_changed: {},
  second_factor_added: { factor: 'Phone', linkId: '0199d0c0-7a11-7c3e-9d52-3f1e5b7a9c02' },
  second_factor_removed: { factor: 'Phone', linkId: '0199d0c0-7a11-7c3e-9d52-3f1e5b7a9c02' },
  second_factor_reset: { company: 'Acme' },
  factor_reset_announced: {
    until: '2031-01-31T17:05:00.000Z',
    timezone: 'America/Sao_Paulo',
    linkId: '0199d0c0-7a11-7c3e-9d52-3f1e5b7a9c02',
  },
  factor_reset_done: {},
  recovery_codes_created: { linkId: '0199d0c0-7a11-7c3e-9d52-3f1e5b7a9c02' },
  factor_change_undone: {},
  recovery_code_used: { left: '9' },
  second_factor_guessed: {},
  new_sign_in: {
    at: '2031-01-31T17:05:00Z',
    address: '203.0.113.7',
    device: 'Firefox · Windows',
    timezone: 'America/Sao_Paulo',
  },
  refresh_token_reused: { ended: 'yes' },
  temporary_password: {
    ...{ company: 'Acme', hours: '72', kid, timezone: 'America/Sao_Paulo' },
    ...{ by: 'José Núñez', byEmail: 'jose@acme.example', verified: '' },
  },
  password_reset: { company: 'Acme', hours: '1', kid, replaces: 'no', timezone: 'America/Sao_Paulo' },
  added_to_company: { ...ACME, by: 'José Núñez', byEmail: 'jose@acme.example', verified: '', awaits: '' },
  invitation: {
    company: 'Acme',
    inviter: 'José Núñez',
    until: '2031-01-08T00:35:00.000Z',
    timezone: 'America/Sao_Paulo',
    linkId: '0199d0c0-7a18-7ca6-9b51-4d6f8a0c2e08',
  },
  invitation_accepted: { company: 'Acme', member: 'Ana Lima', memberEmail: 'ana.lima@example.org' },
  unverified_membership_ended: { ...ACME, email: 'rui.costa@example.com' },
  ownership_offered: {
    ...ACME,
    from: 'José Núñez',
    fromEmail: 'jose@acme.example',
    to: 'Ana Lima',
    toEmail: 'ana.lima@acme.example',
  },
  ownership_transferred: {
    company: 'Acme',
    from: 'José Núñez',
    fromEmail: 'jose@acme.example',
    to: 'Ana Lima',
    toEmail: 'ana.lima@acme.example',
  },
  join_requested: { ...ACME, person: 'Rui Costa', email: 'rui.costa@acme.example' },
  joined_by_domain: { ...ACME, person: 'Rui Costa', email: 'rui.costa@acme.example' },
  join_approved: ACME,
  join_declined: { company: 'Acme' },
  domain_lapsed: { ...ACME, domain: 'acme.example' },
  domain_moved: { ...ACME, domain: 'acme.example' },
  company_deleted: {
    company: 'Acme',
    by: 'José Núñez',
    byEmail: 'jose@acme.example',
    until: '2031-01-31T17:05:00.000Z',
  },
  company_suspended: ACME,
  company_resumed: ACME,
  company_renamed: { ...ACME, former: 'Acme Mills', by: 'José Núñez', byEmail: 'jose@acme.example' },
  company_restored: { ...ACME, by: 'José Núñez', byEmail: 'jose@acme.example' },
  policy_loosened: { ...ACME, by: 'José Núñez', byEmail: 'jose@acme.example' },
  policy_tightened: { ...ACME, by: 'José Núñez', byEmail: 'jose@acme.example' },
  policy_reset: ACME,
  owners_changed: {
    ...ACME,
    change: 'made',
    person: 'Ana Lima',
    personEmail: 'ana.lima@acme.example',
    verified: 'no',
    memberEmails: '',
    by: 'José Núñez',
    byEmail: 'jose@acme.example',
    at: '2031-01-31T17:05:00.000Z',
    timezone: 'America/Sao_Paulo',
  },
  notices_withheld: { verified: 'no' },
  second_factor_due: { ...ACME, until: '2031-01-31T17:05:00.000Z' },
  account_created: {},
  account_disabled: {},
  account_enabled: {},
  password_removed: {},
  mailbox_code: { codeId: '0199d0c0-7a11-7c3e-9d52-3f1e5b7a9c01', purpose: 'factor' },
  passkey_copied: { passkey: 'Ana’s phone' },
})

export const SAMPLE_PASSWORD_ENDS_AT = '2031-01-04T00:35:00.000Z'

export interface Preview {
  kinds: EmailKind[]
  has(kind: string): kind is EmailKind
  email(kind: EmailKind, language: LanguageTag): Message
}

/** Previews have keys of their own, created for this run: no link or password in them works. */
export function openPreview(brand: Brand): Preview {
  const keys = keysFrom(randomBytes(32).toString('base64url'))
  const samples = samplesWith(keys.current.kid)
  const id = newId()
  return {
    kinds: Object.keys(samples) as EmailKind[],
    has: (kind): kind is EmailKind => Object.hasOwn(samples, kind),
    email: (kind, language) => {
      const recipient = { email: 'ana@example.com', name: 'Ana Lima', locale: language }
      const about = { id, secretId: id, passwordEndsAt: SAMPLE_PASSWORD_ENDS_AT }
      return messageOf(
        { ...about, kind, recipient, params: samples[kind] },
        { keys, appUrl: 'https://app.example.com', brand },
      )
    },
  }
}
