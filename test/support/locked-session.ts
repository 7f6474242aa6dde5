import type { IncomingMessage } from 'node:http'
import type { TestApp } from './app.ts'

/** Locks the session, so that its exchange waits until all of these requests have reached the service. */
export async function whileSessionLocked<Result>(
  service: TestApp,
  { sessionId }: { sessionId: string },
  count: number,
  send: () => Promise<Result>,
): Promise<Result> {
  await service.db.query('begin')
  await service.db.query('select from sessions where id = $1 for update', [sessionId])
  const read = countRead(service, count)
  const answers = send()
  await Promise.race([read, answers])
  await service.db.waitForLock()
  await service.db.query('commit')
  return answers
}

/** Resolves when the service has read so many whole requests, which need bodies: without one nothing reads to the end. */
async function countRead({ app: { server } }: TestApp, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let left = count
  const onRequest = (request: IncomingMessage) => request.once('end', () => --left === 0 && setImmediate(resolve))
  server.on('request', onRequest)
  await promise
  server.off('request', onRequest)
}
