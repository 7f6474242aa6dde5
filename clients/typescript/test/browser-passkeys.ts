import type { Authenticator } from '../../../test/support/authenticator.ts'

type Bytes = Uint8Array<ArrayBuffer>
type Parameters = Record<string, unknown>

const textOf = (bytes: Bytes) => Buffer.from(bytes).toString('base64url')
/** Of their own, as browsers give them: a Buffer may be a part of a larger one. */
const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, 'base64url')).buffer

/** `navigator.credentials` of a browser with one authenticator, as it was before credentials had `toJSON()`. */
export function browserWith(authenticator: Authenticator) {
  const asked: { publicKey: Parameters; mediation?: string }[] = []
  const json = (publicKey: Parameters) => {
    const { challenge, user } = publicKey as { challenge: Bytes; user?: { id: Bytes } }
    return { ...publicKey, challenge: textOf(challenge), ...(user && { user: { ...user, id: textOf(user.id) } }) }
  }
  const given = ({ id, type, response }: { id: string; type: string; response: Parameters }) => {
    const { transports, ...bytes } = response
    const read = Object.entries(bytes).map(([name, text]) => [name, text === null ? null : bytesOf(text as string)])
    return { id, rawId: bytesOf(id), type, response: { ...Object.fromEntries(read), getTransports: () => transports } }
  }
  const credentials = {
    create: async (init: { publicKey: Parameters }) => {
      asked.push(init)
      return given(authenticator.create(json(init.publicKey) as never) as never)
    },
    get: async (init: { publicKey: Parameters; mediation?: string }) => {
      asked.push(init)
      return given(authenticator.get(json(init.publicKey) as never) as never)
    },
  }
  Object.defineProperty(globalThis.navigator, 'credentials', { value: credentials, configurable: true })
  return { asked, close: () => Reflect.deleteProperty(globalThis.navigator, 'credentials') }
}
