import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { z } from 'zod'
import { EmailAddress } from '../lib/emails.ts'
import { requiredText } from '../lib/text.ts'

/** Parses an option or an argument by a schema of the API, so that both accept the same. */
export const parsedBy =
  <Value>(schema: z.ZodType<Value>) =>
  (text: string): Value => {
    const { data, error } = schema.safeParse(text)
    if (error) throw new InvalidArgumentError(`It ${error.issues[0]?.message}.`)
    return data as Value
  }

export const email = parsedBy(EmailAddress)
export const personName = parsedBy(requiredText(100))
export const reasonText = parsedBy(requiredText(500))

export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    if (!/^\d{1,9}$/.test(text) || Number(text) < min || Number(text) > max)
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
    return Number(text)
  }

export const JSON_OPTION = ['--json', 'print JSON to be read by programs'] as const
export const AS_OPTION = ['--as <name>', 'your name, for the audit log', personName] as const
export const REASON_OPTION = ['--reason <text>', 'why, for the audit log', reasonText] as const
export const NO_EMAIL_OPTION = ['--no-email', 'send no email about it'] as const
