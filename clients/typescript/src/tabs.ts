import type { SignedOut } from './state.ts'
import type { Held } from './vaults.ts'

/** What clients that share a session tell each other: never a refresh token. */
export type Message = { type: 'tokens'; held: Held } | { type: 'signed_out'; state: SignedOut }

export interface Tabs {
  /** Runs one task at a time over all tabs of the browser, where it has Web Locks; else over this client. */
  exclusively<Result>(task: () => Promise<Result>): Promise<Result>
  tell(message: Message): void
  close(): void
}

export function createTabs(name: string | undefined, hear: (message: Message) => void): Tabs {
  let channel = name !== undefined && typeof BroadcastChannel === 'function' ? new BroadcastChannel(name) : undefined
  const locks = name === undefined ? undefined : globalThis.navigator?.locks
  let last: Promise<unknown> = Promise.resolve()
  if (channel) {
    channel.onmessage = ({ data }) => hear(data as Message)
    // In Node an open channel would keep the process alive.
    ;(channel as { unref?(): void }).unref?.()
  }
  return {
    exclusively(task) {
      const run = () => (locks && name !== undefined ? (locks.request(name, task) as ReturnType<typeof task>) : task())
      const result = last.then(run, run)
      last = result
      return result
    },
    tell: (message) => channel?.postMessage(message),
    close() {
      channel?.close()
      // One that is closed throws when it is used.
      channel = undefined
    },
  }
}
