import type { Config } from '../../../config/config.ts'
import type { Database, Tx } from '../../../database/open.ts'
import type { Keys } from '../../../lib/keys.ts'
import { enqueueEmail } from '../../mail/outbox/enqueue.ts'
import type { Account } from '../accounts.ts'
import { type PasskeyChallenge, type SignedPasskey, usePasskey, verifyPasskey } from '../passkeys/passkeys.ts'
import { provedCode, provedRecoveryCode, type SecondFactor } from '../proofs.ts'
import { countRecoveryCodes, useRecoveryCode } from './recovery-codes.ts'
import type { FactorAnswer } from './schemas.ts'
import { type FoundCode, findCode, useCode } from './totp-factors.ts'

/** What an answer claims, as far as it can be checked before the transaction that uses it. */
export type CheckedFactor =
  | { kind: 'totp'; found: FoundCode }
  | { kind: 'recovery_code'; code: string }
  | { kind: 'passkey'; passkey: SignedPasskey }

/** Undefined: the answer is wrong. The attempt was counted before. `challenge`: of a passkey. */
export async function checkFactor(
  deps: { config: Config; database: Database; keys: Keys },
  accountId: string,
  { code, recoveryCode, credential }: FactorAnswer,
  challenge: PasskeyChallenge | undefined,
): Promise<CheckedFactor | undefined> {
  if (credential) {
    const { passkey } = challenge ? await verifyPasskey(deps, challenge, credential, accountId) : {}
    return passkey && { kind: 'passkey', passkey }
  }
  if (recoveryCode !== undefined) return { kind: 'recovery_code', code: recoveryCode }
  const found = await findCode(deps, accountId, code ?? '')
  return found && { kind: 'totp', found }
}

/** The account is locked. Undefined: it is wrong, or was used before. What is used once works no more. */
export async function useFactor(tx: Tx, account: Account, checked: CheckedFactor): Promise<SecondFactor | undefined> {
  if (checked.kind === 'passkey') return usePasskey(tx, checked.passkey)
  if (checked.kind === 'totp')
    return (await useCode(tx, checked.found)) ? provedCode(checked.found.factorId) : undefined
  if (!(await useRecoveryCode(tx, account.id, checked.code))) return undefined
  const left = await countRecoveryCodes(tx, account.id)
  await enqueueEmail(tx, 'recovery_code_used', account, { left: String(left) })
  return provedRecoveryCode()
}
