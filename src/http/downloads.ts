import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** The result of a download's rule: text that is produced while the client reads it. */
export interface Download {
  /** Such as `text/csv; charset=utf-8`. */
  type: string
  /** Letters, digits, underscores, dots and dashes only. */
  filename: string
  /** Each chunk, of any length, is produced after the one before has been sent. */
  chunks: AsyncIterable<string>
  /** Called once the download ends: complete, aborted by the client, failed, or stopped with the service. */
  onEnd?(): void
}

/**
 * Converts downloads into streams that ask for the next chunk only after the client has read the ones before, and that end
 * when the client disconnects. When a chunk fails or the service stops, the connection is destroyed: the client must not
 * take a partial download for a complete one, and a slow client must not delay the stop.
 */
export function createDownloadWriter(app: FastifyInstance): (download: Download, reply: FastifyReply) => Readable {
  const running = new Set<Readable>()
  app.addHook('preClose', async () => {
    for (const stream of running) stream.destroy()
  })
  return ({ type, filename, chunks, onEnd }, reply) => {
    if (!/^[\w.-]+$/.test(filename)) throw new Error('The filename of a download has characters that are not allowed')
    reply.type(type).header('content-disposition', `attachment; filename="${filename}"`)
    const stream = Readable.from(chunks, { highWaterMark: 1 })
    running.add(stream)
    stream.once('close', () => {
      running.delete(stream)
      onEnd?.()
    })
    destroyWithClient(stream, reply)
    return stream
  }
}

/** A client may disconnect before there is anything to send; then Fastify neither reads nor ends the stream. */
function destroyWithClient(stream: Readable, { raw }: FastifyReply): void {
  if (raw.destroyed) stream.destroy()
  else raw.once('close', () => stream.destroy())
}
