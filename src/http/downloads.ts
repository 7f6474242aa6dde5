import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** What a download's rule gives back: text that is made while it is read. */
export interface Download {
  /** Such as `text/csv; charset=utf-8`. */
  type: string
  /** Made by us of plain letters, digits, dots and dashes. */
  filename: string
  /** Pieces of any length; each is made when the one before has left. */
  pieces: AsyncIterable<string>
  /** Called when it is over: all has left, the client went away, a piece could not be made, or the service stops. */
  ended?(): void
}

/**
 * Makes downloads into streams that ask for the next piece only when the client has taken the ones before, and end when
 * the client goes away. When a piece can't be made, or the service stops, the connection is cut: a download that ended as
 * if it were whole would be believed, and a slow reader must not hold up the stop.
 */
export function openDownloads(app: FastifyInstance): (download: Download, reply: FastifyReply) => Readable {
  const running = new Set<Readable>()
  app.addHook('preClose', async () => {
    for (const stream of running) stream.destroy()
  })
  return ({ type, filename, pieces, ended }, reply) => {
    if (!/^[\w.-]+$/.test(filename)) throw new Error('The name of a download is not a plain one')
    reply.type(type).header('content-disposition', `attachment; filename="${filename}"`)
    const stream = Readable.from(pieces, { highWaterMark: 1 })
    running.add(stream)
    stream.once('close', () => {
      running.delete(stream)
      ended?.()
    })
    cutWithClient(stream, reply)
    return stream
  }
}

/** A client may have gone before there is anything to send: then nobody reads the stream, or ends it. */
function cutWithClient(stream: Readable, { raw }: FastifyReply): void {
  if (raw.destroyed) stream.destroy()
  else raw.once('close', () => stream.destroy())
}
