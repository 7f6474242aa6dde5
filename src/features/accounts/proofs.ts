import type { AccountToSignIn } from './find-by-email.ts'
import { WITHOUT_PASSWORD } from './password-policy.ts'
import type { StoredPassword } from './passwords.ts'

/** How a session was opened, in the words of RFC 8176; `rec`: by a recovery code. */
export type AuthenticationMethod = 'pwd' | 'otp' | 'rec' | 'hwk' | 'swk' | 'user'

interface Proved {
  methods: readonly AuthenticationMethod[]
  /** By a temporary password: the session may only choose another one. */
  mustChangePassword: boolean
  /** What the password was worth: see passwordClassOf. */
  passwordClass: number | null
}

/** A name that no other module has, so that only the functions below make values of the types with it. */
declare const made: unique symbol

/** A password that was right. It opens no session by itself: the account may have a second factor. */
export type FirstFactor = Proved & { readonly [made]: 'first factor' }

/** A second factor that was proved, in a way that works once. */
export interface SecondFactor<Id extends string | null = string | null> {
  methods: readonly AuthenticationMethod[]
  /** Null: a recovery code. */
  factorId: Id
  readonly [made]: 'second factor'
}

/** A passkey whose device has verified its user is both factors: something that its user has, and knows or is. */
export interface PasskeyFactor extends SecondFactor<string> {
  isBothFactors: true
}

/** Everything that an account asks for before a session is opened. */
export type Proof = Proved & { second: Pick<SecondFactor, 'factorId'> | undefined; readonly [made]: 'proof' }

export const provedPassword = ({ kind }: Pick<StoredPassword, 'kind'>, passwordClass: number | null): FirstFactor =>
  ({ methods: ['pwd'], mustChangePassword: kind !== 'chosen', passwordClass }) as Proved as FirstFactor

export const provedCode = (factorId: string) => secondFactor({ methods: ['otp'], factorId })

export const provedRecoveryCode = () => secondFactor({ methods: ['rec'], factorId: null })

/** Undefined: the account has a second factor, which has to be proved as well. */
export const withoutSecondFactor = (
  first: FirstFactor,
  { hasSecondFactor }: Pick<AccountToSignIn, 'hasSecondFactor'>,
): Proof | undefined => (hasSecondFactor ? undefined : proofFrom({ ...first, second: undefined }))

export const withSecondFactor = (first: FirstFactor, second: SecondFactor): Proof =>
  proofFrom({ ...first, methods: [...first.methods, ...second.methods], second })

/** Bound to its device, or copied to others by a provider. */
export const provedPasskey = (factorId: string, { isBackedUp }: { isBackedUp: boolean }): PasskeyFactor => ({
  ...secondFactor({ methods: [isBackedUp ? 'swk' : 'hwk', 'user'], factorId }),
  isBothFactors: true,
})

export const withPasskeyAlone = (passkey: PasskeyFactor): Proof =>
  proofFrom({ methods: passkey.methods, mustChangePassword: false, passwordClass: WITHOUT_PASSWORD, second: passkey })

/** An account that this transaction creates has no second factor, and its password is the one that it was created with. */
export const provedNewAccount = (passwordClass: number): Proof =>
  proofFrom({ methods: ['pwd'], mustChangePassword: false, passwordClass, second: undefined })

const secondFactor = <Id extends string | null>(proved: Omit<SecondFactor<Id>, typeof made>) =>
  proved as SecondFactor<Id>

const proofFrom = (proved: Omit<Proof, typeof made>) => proved as Proof
