import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

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
 * when the client disconnects. When a chunk fails, the connection is destroyed: the client must not take a partial download
 * for a complete one. A stop of the service ends the connection of a download that takes longer, too.
 */
export function createDownloadWriter(): (download: Download, reply: FastifyReply) => Readable {
  return ({ type, filename, chunks, onEnd }, reply) => {
    if (!/^[\w.-]+$/.test(filename)) throw new Error('The filename of a download has characters that are not allowed')
    reply.type(type).header('content-disposition', `attachment; filename="${filename}"`)
    const stream = Readable.from(chunks, { highWaterMark: 1 })
    stream.once('close', () => onEnd?.())
    destroyWithClient(stream, reply)
    return stream
  }
}

/** A client may disconnect before there is anything to send; then Fastify neither reads nor ends the stream. */
function destroyWithClient(stream: Readable, { raw }: FastifyReply): void {
  if (raw.destroyed) stream.destroy()
  else raw.once('close', () => stream.destroy())
}
