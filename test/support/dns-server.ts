import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** What the server says about a name; without an entry the name does not exist. */
export interface Entry {
  /** TXT records; one of more than 255 bytes goes out in several strings. */
  txt?: (string | Buffer | Buffer[])[]
  cname?: string
  /** The response code: 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED. */
  rcode?: number
  /** Nothing comes back. */
  isSilent?: boolean
  /** The answer by UDP waits for this. */
  heldUntil?: Promise<unknown>
  /** The whole answer only comes by TCP. */
  isTruncated?: boolean
  /** Sent in place of an answer, after the id of the query. */
  garbage?: Buffer
}

export interface DnsServer {
  /** For DNS_SERVERS. */
  address: string
  zone: Map<string, Entry>
  /** The names that were asked for, by UDP and by TCP. */
  asked: { udp: string[]; tcp: string[] }
  close(): Promise<void>
}

const CLASS_IN = 1
const TYPE = { NS: 2, CNAME: 5, TXT: 16 }
const NXDOMAIN = 3

/** An authoritative name server for every name, on loopback. `find`: for names that are not in its zone. */
export async function startDnsServer(
  find: (name: string) => Promise<Entry | undefined> = async () => undefined,
): Promise<DnsServer> {
  const zone = new Map<string, Entry>([['', {}]])
  const asked: DnsServer['asked'] = { udp: [], tcp: [] }
  const answer = async (query: Buffer, by: 'udp' | 'tcp'): Promise<Buffer | undefined> => {
    const { name, end } = readName(query)
    asked[by].push(name)
    const entry = zone.get(name) ?? (await find(name)) ?? { rcode: NXDOMAIN }
    if (entry.isSilent) return undefined
    if (entry.garbage) return Buffer.concat([query.subarray(0, 2), entry.garbage])
    const isCut = entry.isTruncated === true && by === 'udp'
    const records = isCut ? [] : recordsOf(entry, zone)
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8400 | (isCut ? 0x0200 : 0) | (entry.rcode ?? 0), 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    return Buffer.concat([header, query.subarray(12, end + 4), ...records])
  }
  const tcp = createServer((socket) => serveTcp(socket, (query) => answer(query, 'tcp')))
  await once(tcp.listen(0, '127.0.0.1'), 'listening')
  const { port } = tcp.address() as AddressInfo
  const udp = createSocket('udp4').on('message', async (query, from) => {
    const { heldUntil } = zone.get(readName(query).name) ?? {}
    const message = await answer(query, 'udp')
    await heldUntil
    if (message) udp.send(message, from.port, from.address)
  })
  await once(udp.bind(port, '127.0.0.1'), 'listening')
  const close = async () => {
    udp.close()
    tcp.close()
  }
  return { address: `127.0.0.1:${port}`, zone, asked, close }
}

/** Labels with their lengths, after the header; names in queries are never compressed. */
function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

/** A resolver follows a CNAME, so its answer has the records of both names. */
function recordsOf({ txt = [], cname }: Entry, zone: Map<string, Entry>): Buffer[] {
  const followed =
    cname === undefined ? [] : [recordOf(TYPE.CNAME, nameBytes(cname)), ...recordsOf(zone.get(cname) ?? {}, zone)]
  return [...followed, ...txt.map((value) => recordOf(TYPE.TXT, Buffer.concat(stringsOf(value))))]
}

function stringsOf(value: string | Buffer | Buffer[]): Buffer[] {
  if (Array.isArray(value)) return value.flatMap((part) => [Buffer.from([part.length]), part])
  const bytes = Buffer.from(value)
  const parts = Array.from({ length: Math.ceil(bytes.length / 255) || 1 }, (_, n) =>
    bytes.subarray(n * 255, n * 255 + 255),
  )
  return stringsOf(parts)
}

/** For the name of the question, which stands behind the header. */
function recordOf(type: number, data: Buffer): Buffer {
  const head = Buffer.from([0xc0, 12, 0, type, 0, CLASS_IN, 0, 0, 0, 60, 0, 0])
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

const nameBytes = (name: string) =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ])

/** Each message follows its length. */
function serveTcp(socket: Socket, answer: (query: Buffer) => Promise<Buffer | undefined>): void {
  let received: Buffer = Buffer.alloc(0)
  socket.on('error', () => socket.destroy())
  socket.on('data', async (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const length = received.readUInt16BE(0)
      const query = received.subarray(2, 2 + length)
      received = received.subarray(2 + length)
      const message = await answer(query)
      if (!message) continue
      const prefix = Buffer.alloc(2)
      prefix.writeUInt16BE(message.length)
      socket.write(Buffer.concat([prefix, message]))
    }
  })
}
