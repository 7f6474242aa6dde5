import type { Schemas } from './types.ts'

/*
 * What `navigator.credentials` takes and gives, from JSON and to JSON. Browsers can do that by themselves only since 2024 and
 * 2025, and some password managers give credentials that can't, so it is done here.
 */

/**
 * Asks the browser for a new passkey, for `account.factors.addPasskey`. Rejects with the browser's `DOMException`:
 * `NotAllowedError` when the person declined or had no device for it, `InvalidStateError` when the device has one already.
 */
export async function createPasskey(
  { challenge, user, excludeCredentials, ...options }: Schemas['PasskeyCreationOptions'],
  { signal }: { signal?: AbortSignal } = {},
): Promise<Schemas['NewPasskey']> {
  const publicKey = {
    ...options,
    challenge: bytesFrom(challenge),
    user: { ...user, id: bytesFrom(user.id) },
    excludeCredentials: excludeCredentials.map(described),
  }
  const created = (await navigator.credentials.create({ publicKey, ...(signal && { signal }) })) as PublicKeyCredential
  const response = created.response as AuthenticatorAttestationResponse
  return {
    ...named(created),
    response: {
      clientDataJSON: textFrom(response.clientDataJSON),
      attestationObject: textFrom(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  }
}

/**
 * Asks the browser to sign with a passkey, for `passkeys.signIn`, `confirmSignIn` or `account.stepUp`. `mediation: 'conditional'`
 * offers passkeys in the list under a field with `autocomplete="username webauthn"`, and waits until one is chosen. Rejects
 * with the browser's `DOMException`, such as `NotAllowedError`.
 */
export async function getPasskey(
  { challenge, allowCredentials, ...options }: Schemas['PasskeyRequestOptions'],
  { signal, mediation }: { signal?: AbortSignal; mediation?: 'conditional' } = {},
): Promise<Schemas['PasskeyAssertion']> {
  const publicKey = {
    ...options,
    challenge: bytesFrom(challenge),
    allowCredentials: allowCredentials.map(described),
  }
  const init = { publicKey, ...(signal && { signal }), ...(mediation && { mediation }) }
  const used = (await navigator.credentials.get(init)) as PublicKeyCredential
  const response = used.response as AuthenticatorAssertionResponse
  return {
    ...named(used),
    response: {
      clientDataJSON: textFrom(response.clientDataJSON),
      authenticatorData: textFrom(response.authenticatorData),
      signature: textFrom(response.signature),
      userHandle: response.userHandle && textFrom(response.userHandle),
    },
  }
}

const named = ({ rawId }: PublicKeyCredential) => {
  const id = textFrom(rawId)
  return { id, rawId: id, type: 'public-key' as const }
}

const described = ({ id, type, transports }: Schemas['PasskeyCreationOptions']['excludeCredentials'][number]) => ({
  id: bytesFrom(id),
  type,
  transports: transports as AuthenticatorTransport[],
})

const bytesFrom = (text: string) =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0))

const textFrom = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '')
