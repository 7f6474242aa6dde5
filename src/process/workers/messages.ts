import type { Target } from '../../database/connection-settings.ts'
import type { Count } from '../../http/limits/counters.ts'
import type { Counted } from '../../lib/window-counter.ts'
import type { Announcement } from '../announce.ts'

/** What a worker process tells the primary process of its node. */
export type FromWorker =
  /** It has loaded, and asks what to work with. */
  | { kind: 'loaded' }
  | { kind: 'started'; announcement: Announcement }
  /** Counts of several requests. */
  | { kind: 'count'; id: number; requests: Count[][] }

/** What the primary process answers. */
export type FromPrimary =
  | { kind: 'work'; target: Target; embeddedVersion?: string | undefined }
  | { kind: 'counted'; id: number; requests: Counted[][] }

/** To the other side of this process. A message that can't be sent is lost: the channel ends with either process. */
export function sendTo(
  other: { send?(message: object, callback: (error: Error | null) => void): boolean },
  message: FromWorker | FromPrimary,
): void {
  other.send?.(message, () => {})
}
