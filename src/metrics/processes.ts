import type { Collector } from './collect.ts'
import type { Samples } from './samples.ts'

/** The way to another process of this node: `process` in a worker process, the worker in the primary process. */
export interface Channel {
  send?(message: object, callback: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: Message) => void): unknown
  off(event: 'message', listener: (message: Message) => void): unknown
}

/** Other messages on the same channel are ignored. */
type Message =
  | { kind: 'collect'; id: number; withBacklog: boolean }
  | { kind: 'collected'; id: number; samples: Samples }
  | { kind: 'others' }

/** A scrape goes without a process that takes longer, for example because it is starting. */
const ANSWER_MS = 2000

/** For a worker process: it is asked for its numbers by the primary process, which serves them. */
export function answerCollections(primary: Channel, collector: Collector): { stop(): Promise<void> } {
  const onMessage = (message: Message) => {
    if (message.kind !== 'collect') return
    const { id, withBacklog } = message
    void collector.collect({ withBacklog }).then((samples) => send(primary, { kind: 'collected', id, samples }))
  }
  primary.on('message', onMessage)
  return {
    async stop() {
      primary.off('message', onMessage)
      collector.stop()
    },
  }
}

let lastId = 0

/** For the primary process: what its worker processes measure. One of them reads what they share. */
export async function collectFrom(workers: Iterable<Channel>): Promise<Samples[]> {
  const id = ++lastId
  const answers = Array.from(workers, (worker, index) => ask(worker, { kind: 'collect', id, withBacklog: index === 0 }))
  return (await Promise.all(answers)).filter((samples) => samples !== undefined)
}

function ask(worker: Channel, question: Extract<Message, { kind: 'collect' }>): Promise<Samples | undefined> {
  const { promise, resolve } = Promise.withResolvers<Samples | undefined>()
  const onMessage = (message: Message) => {
    if (message.kind === 'collected' && message.id === question.id) resolve(message.samples)
  }
  const timer = setTimeout(() => resolve(undefined), ANSWER_MS)
  worker.on('message', onMessage)
  send(worker, question)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', onMessage)
  })
}

/** A message that can't be sent is lost, as the process is about to end. */
function send(other: Channel, message: Message): void {
  other.send?.(message, () => {})
}
