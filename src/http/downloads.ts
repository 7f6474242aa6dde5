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
}

/**
 * A stream that asks for the next piece only when the client has taken the ones before, and is ended when the client goes
 * away. When a piece can't be made the connection is cut: a download that ended as if it were whole would be believed.
 */
export function asDownload({ type, filename, pieces }: Download, reply: FastifyReply): Readable {
  if (!/^[\w.-]+$/.test(filename)) throw new Error('The name of a download is not a plain one')
  reply.type(type).header('content-disposition', `attachment; filename="${filename}"`)
  return Readable.from(pieces, { highWaterMark: 1 })
}
