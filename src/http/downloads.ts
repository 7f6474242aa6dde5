import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

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
 * A stream that asks for the next piece only when the client has taken the ones before, and is ended when the client goes
 * away. When a piece can't be made the connection is cut: a download that ended as if it were whole would be believed.
 */
export function asDownload({ type, filename, pieces, ended }: Download, reply: FastifyReply): Readable {
  if (!/^[\w.-]+$/.test(filename)) throw new Error('The name of a download is not a plain one')
  reply.type(type).header('content-disposition', `attachment; filename="${filename}"`)
  const stream = Readable.from(pieces, { highWaterMark: 1 })
  if (ended) stream.once('close', ended)
  cutWithClient(stream, reply)
  cutWithService(stream, reply)
  return stream
}

/** A client may have gone before there is anything to send: then nobody reads the stream, or ends it. */
function cutWithClient(stream: Readable, { raw }: FastifyReply): void {
  if (raw.destroyed) stream.destroy()
  else raw.once('close', () => stream.destroy())
}

const LOOKING_MS = 250

/** A slow reader must not hold up a service that stops; a file that is cut is known to lack something. */
function cutWithService(stream: Readable, { server: { server } }: FastifyReply): void {
  if (!server.listening) return
  const look = setInterval(() => {
    if (!server.listening) stream.destroy()
  }, LOOKING_MS).unref()
  stream.once('close', () => clearInterval(look))
}
