import type { TestApp } from '../test/support/app.ts'
import { PASSWORD, type Person as SignedUp, signUp } from '../test/support/people.ts'
import type { Caller } from './callers.ts'
import { type Canaries, freshWord } from './canaries.ts'

/** A person whose name, and company where it has a canary, must not be seen by strangers. */
export async function newPerson(service: TestApp, canaries: Canaries, name: string, word?: string): Promise<SignedUp> {
  const mark = freshWord()
  const email = `${name.toLowerCase().replace(/\W+/g, '.')}.${mark}@world.example.com`
  const company = word ? { companyName: `Company ${word}`, taxId: word } : {}
  const person = await signUp(service.client, { name: `${name} ${mark}`, email, ...company })
  canaries.register(mark, { accountId: person.id })
  if (word) canaries.register(word, { companyId: person.company.id })
  return person
}

export function callerFrom(name: string, { id, sessionId, company, accessToken, refreshToken }: SignedUp): Caller {
  const credentials = 'valid' as const
  return {
    name,
    credentials,
    accountId: id,
    sessionId,
    companyId: company.id,
    password: PASSWORD,
    accessToken,
    refreshToken,
  }
}
