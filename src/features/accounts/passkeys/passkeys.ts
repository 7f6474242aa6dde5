import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Config } from '../../../config/config.ts'
import type { Database, Tx } from '../../../database/open.ts'
import { asAccount, asAnyone } from '../../../database/scopes.ts'
import { newId } from '../../../lib/ids.ts'
import { enqueueEmailWithinLimits, noticeLimits } from '../../mail/outbox/enqueue.ts'
import { type PasskeyFactor, provedPasskey } from '../proofs.ts'
import { UNDER_LOCK } from '../under-lock.ts'
import type { PasskeyDescriptor } from './options.ts'
import type { PasskeyAssertion } from './schemas.ts'
import { type VerifiedAssertion, type VerifiedPasskey, verifyPasskeyAssertion } from './verification.ts'

const HANDLE_BYTES = 32

/** What passkeys know the account by, made for the first one. The account is locked. */
export async function getPasskeyHandle(tx: Tx, accountId: string): Promise<Buffer> {
  const { passkey_handle: handle } = await tx
    .selectFrom('accounts')
    .select('passkey_handle')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  if (handle) return handle
  const made = randomBytes(HANDLE_BYTES)
  await tx.updateTable('accounts').set({ passkey_handle: made }).where('id', '=', accountId).execute()
  return made
}

export async function findPasskeys(tx: Tx, accountId: string): Promise<PasskeyDescriptor[]> {
  const rows = await tx
    .selectFrom('second_factors')
    .select(['credential_id', 'transports'])
    .where('account_id', '=', accountId)
    .where('kind', '=', 'passkey')
    .orderBy('id')
    .execute()
  return rows.map(({ credential_id, transports }) => ({
    credentialId: credential_id as Buffer,
    transports: transports ?? [],
  }))
}

/** It counts at once, because it has shown that it works. Gives its id. */
export async function insertPasskey(
  tx: Tx,
  accountId: string,
  name: string,
  { credentialId, publicKey, counter, transports, isBackedUp, aaguid }: VerifiedPasskey,
): Promise<string> {
  const id = newId()
  await tx
    .insertInto('second_factors')
    .values({
      id,
      account_id: accountId,
      kind: 'passkey',
      name,
      confirmed_at: UNDER_LOCK,
      credential_id: credentialId,
      public_key: publicKey,
      counter,
      transports,
      backed_up: isBackedUp,
      aaguid,
    })
    .execute()
  return id
}

/** A passkey that has signed the challenge. Whether it still counts shows only when it is used: see `usePasskey`. */
export interface SignedPasskey extends VerifiedAssertion {
  id: string
  accountId: string
}

export interface PasskeyAttempt {
  /** The account that the credential claims to be of; undefined: no passkey of ours. */
  account: { id: string; email: string } | undefined
  /** Undefined: it has not signed the challenge, or it may be a copy. */
  passkey: SignedPasskey | undefined
}

/** What a passkey is asked to sign. */
export interface PasskeyChallenge {
  webauthn: Buffer
  /** Whether it has not been used yet; left out: this answer has used it up. */
  isOpen?(tx: Tx): Promise<boolean>
}

interface PasskeyDeps {
  config: Config
  database: Database
}

/** Finds and verifies the passkey. The owner of one that may be a copy is told. */
export async function verifyPasskey(
  { config, database }: PasskeyDeps,
  challenge: PasskeyChallenge,
  response: PasskeyAssertion,
  accountId?: string,
): Promise<PasskeyAttempt> {
  const known = await findPasskey(database, Buffer.from(response.id, 'base64url'))
  if (!known) return { account: undefined, passkey: undefined }
  const account = { id: known.accountId, email: known.email }
  if (!isOfAccount(known, response, accountId)) return { account, passkey: undefined }
  const verified = await verifyPasskeyAssertion(config.passkeys, challenge.webauthn, known, response)
  const passkey = verified && { id: known.id, accountId: known.accountId, ...verified }
  const isUsable = passkey && (await isCounterAhead({ config, database }, passkey, challenge))
  return { account, passkey: isUsable ? passkey : undefined }
}

type FoundPasskey = NonNullable<Awaited<ReturnType<typeof findPasskey>>>

async function findPasskey(database: Database, credentialId: Buffer) {
  const row = await database
    .autocommit(asAnyone)
    .selectFrom('second_factors')
    .innerJoin('accounts', 'accounts.id', 'account_id')
    .select(['second_factors.id', 'account_id as accountId', 'public_key', 'accounts.email', 'passkey_handle'])
    .where('credential_id', '=', credentialId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  if (!row?.public_key || !row.passkey_handle) return undefined
  const { id, accountId, email, public_key: publicKey, passkey_handle: handle } = row
  return { id, accountId, email, credentialId, publicKey, handle }
}

/**
 * A passkey names its account twice, by its own id and by the handle that it keeps, and they have to agree. Where the account
 * is known already, an authenticator may leave the handle out.
 */
function isOfAccount(known: FoundPasskey, { response }: PasskeyAssertion, accountId: string | undefined): boolean {
  if (accountId !== undefined && accountId !== known.accountId) return false
  const { userHandle } = response
  return userHandle ? userHandle === known.handle.toString('base64url') : accountId !== undefined
}

/**
 * In a statement over `second_factors`: the authenticator has signed more often than it had before, or does not count. It counts in
 * 32 bits without a sign, which PostgreSQL's integer does not hold.
 */
const isAhead = (counter: number) =>
  sql<boolean>`(counter < ${counter}::bigint or (counter = 0 and ${counter}::bigint = 0))`

/**
 * False: the passkey has signed with this counter or a later one before, so there may be a copy of it, and its owner is told. Unless
 * the challenge was used meanwhile: then the same answer was sent twice, and the other one has moved the counter.
 */
async function isCounterAhead(
  { config, database }: PasskeyDeps,
  { id, accountId, counter }: SignedPasskey,
  { isOpen }: PasskeyChallenge,
): Promise<boolean> {
  return database.write(asAccount(accountId), async (tx) => {
    const behind = await tx
      .selectFrom('second_factors')
      .select('id')
      .where('id', '=', id)
      .where(sql<boolean>`not ${isAhead(counter)}`)
      .forNoKeyUpdate()
      .executeTakeFirst()
    // After the lock, so that the use that has moved the counter has used up the challenge as well.
    if (behind && (!isOpen || (await isOpen(tx)))) await reportCopy(tx, config, id)
    return !behind
  })
}

async function reportCopy(tx: Tx, { emailLimits }: Config, id: string): Promise<void> {
  const { passkey, ...owner } = await tx
    .updateTable('second_factors')
    .set({ copied_at: sql<string>`now()` })
    .from('accounts')
    .whereRef('accounts.id', '=', 'account_id')
    .where('second_factors.id', '=', id)
    .returning(['second_factors.name as passkey', 'accounts.email', 'accounts.name', 'accounts.locale'])
    .executeTakeFirstOrThrow()
  await enqueueEmailWithinLimits(tx, noticeLimits(emailLimits), 'passkey_copied', owner, { passkey })
}

/** The account is locked. Undefined: the passkey was removed in this moment, or was used with this counter. */
export async function usePasskey(
  tx: Tx,
  { id, counter, isBackedUp }: SignedPasskey,
): Promise<PasskeyFactor | undefined> {
  const { numUpdatedRows } = await tx
    .updateTable('second_factors')
    .set({ counter, backed_up: isBackedUp, last_used_at: sql<string>`now()` })
    .where('id', '=', id)
    .where(isAhead(counter))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n ? provedPasskey(id, { isBackedUp }) : undefined
}
