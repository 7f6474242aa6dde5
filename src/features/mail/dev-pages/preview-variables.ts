import { randomBytes } from 'node:crypto'
import type { Brand } from '../../../brand/brand.ts'
import { newId } from '../../../lib/ids.ts'
import { keysFrom } from '../../../lib/keys.ts'
import type { LanguageTag } from '../../../lib/languages.ts'
import type { EmailKind, EmailParams } from '../outbox/emails.ts'
import { type Message, messageOf } from '../templates/render-message.ts'

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
  refresh_token_reused: { ended: 'yes' },
  temporary_password: { company: 'Acme', hours: '72', kid, timezone: 'America/Sao_Paulo' },
  password_reset: { company: 'Acme', hours: '1', kid, replaces: 'no', timezone: 'America/Sao_Paulo' },
  added_to_company: { company: 'Acme' },
  unverified_membership_ended: { company: 'Acme', email: 'rui.costa@example.com' },
  ownership_offered: { company: 'Acme', from: 'José Núñez', to: 'Ana Lima' },
  ownership_transferred: { company: 'Acme', from: 'José Núñez', to: 'Ana Lima' },
  company_deleted: { company: 'Acme', by: 'José Núñez', until: '2031-01-31T17:05:00.000Z' },
  company_suspended: { company: 'Acme' },
  company_resumed: { company: 'Acme' },
  account_created: {},
  account_disabled: {},
  account_enabled: {},
  password_removed: {},
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
