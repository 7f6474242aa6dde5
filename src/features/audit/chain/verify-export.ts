import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import type { Checkpoint, PublicKeys, SealedRecord } from './hashing.ts'
import { type Bad, ChainWalk } from './verifier.ts'

export interface OfflineVerdict {
  valid: boolean
  text: string
}

const RECORDS_AT_ONCE = 1000
const RECORDS_MAX = 10_000

/** Goes over an exported file, whatever its length, and says in words what it proves. */
export async function verifyExport(file: string, jwks: { keys?: unknown }): Promise<OfflineVerdict> {
  const keys = publicKeysFrom(jwks)
  const lines = linesOf(file)
  const { value: first } = await lines.next()
  if (first?.kind === 'filter')
    return invalid('This export is filtered: it can not be proven whole. Export without a filter.')
  if (first?.kind !== 'checkpoint')
    return invalid('This is no whole export: its first line is not the signed end of a chain.')

  const head = first.checkpoint
  const walk = new ChainWalk(head, keys)
  let records = 0
  for await (const window of windowsOf(lines)) {
    if (window === 'unreadable') return invalid(`Line ${records + 2} or one soon after it is not a line of an export.`)
    records += window.records.length
    walk.window(window.records, window.checkpoints)
    if (walk.bad) break
  }
  const bad = walk.end() ?? (records === head.seq - head.begins.seq ? undefined : beyond(head))
  if (!bad && walk.firstMistimed) return invalid(mistimedSentence(walk.firstMistimed, walk.mistimed))
  return bad ? invalid(sentenceOf(bad, keys, head)) : { valid: true, text: praise(head, records) }
}

const invalid = (text: string): OfflineVerdict => ({ valid: false, text })
const beyond = ({ seq }: Checkpoint): Bad => ({ seq: seq + 1, id: null, reason: 'inserted' })

function publicKeysFrom({ keys }: { keys?: unknown }): PublicKeys {
  if (!Array.isArray(keys) || keys.length === 0) throw new Error('The file of --keys is no key set (JWKS)')
  return new Map(
    keys.map((jwk: JsonWebKey & { kid?: string }) => [String(jwk.kid), createPublicKey({ key: jwk, format: 'jwk' })]),
  )
}

const place = { seq: z.int().min(0), hash: z.string() }
const CheckpointLine = z.object({
  company: z.string(),
  number: z.int(),
  ...place,
  begins: z.object({ ...place, number: z.int() }),
  time: z.string(),
  kid: z.string(),
  signature: z.string(),
})
const text = z.string()
const RecordLine = z.object({
  ...place,
  id: text,
  created_at: text,
  action: text,
  outcome: text,
  actor: z.object({ id: text.nullable(), name: text, email: text }),
  target: z.object({ type: text, id: text, label: text }),
  changes: z.json(),
  ip: text.nullable(),
  user_agent: text,
  request_id: text,
})

type Line =
  | { kind: 'checkpoint'; checkpoint: Checkpoint }
  | { kind: 'record'; record: SealedRecord }
  | { kind: 'filter' | 'unreadable' }

async function* linesOf(file: string): AsyncGenerator<Line, undefined> {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '') yield lineFrom(line)
  }
}

function lineFrom(line: string): Line {
  try {
    const value = JSON.parse(line)
    if ('filter' in value) return { kind: 'filter' }
    if ('checkpoint' in value) {
      const checkpoint = CheckpointLine.parse(value.checkpoint)
      return isWhole({ checkpoint }, line) ? { kind: 'checkpoint', checkpoint } : { kind: 'unreadable' }
    }
    // The changes as they stand there: a copy of them may leave out what the hash is to cover.
    const record = { ...RecordLine.parse(value), changes: value.changes }
    return isWhole(record, line) ? { kind: 'record', record } : { kind: 'unreadable' }
  } catch {
    return { kind: 'unreadable' }
  }
}

/** Nothing may be in a line but what is proved: people and programs read it, too. */
const isWhole = (kept: object, line: string) => JSON.stringify(kept) === line

interface Window {
  records: SealedRecord[]
  checkpoints: Checkpoint[]
}

async function* windowsOf(lines: AsyncIterable<Line>): AsyncGenerator<Window | 'unreadable'> {
  let window: Window = { records: [], checkpoints: [] }
  for await (const line of lines) {
    if (line.kind === 'record') window.records.push(line.record)
    else if (line.kind === 'checkpoint') window.checkpoints.push(line.checkpoint)
    else {
      yield window
      yield 'unreadable'
      return
    }
    // A checkpoint stands behind its record and must not come a window later; in our files one comes soon enough.
    if (
      window.records.length >= RECORDS_MAX ||
      (window.records.length >= RECORDS_AT_ONCE && line.kind === 'checkpoint')
    ) {
      yield window
      window = { records: [], checkpoints: [] }
    }
  }
  yield window
}

const said: Record<Bad['reason'], string> = {
  changed: 'was changed',
  removed: 'was removed',
  inserted: 'was put in',
  reordered: 'stands where another one was',
  cut_off: 'and all behind it were cut off',
  rewritten: 'or one of those behind it was changed, and the hashes were computed anew',
  checkpoint_removed: 'has a checkpoint before it that was removed',
  checkpoint_forged: 'has a checkpoint that is forged',
  head_removed: 'has no signed end',
  head_forged: 'is the end of the chain, and its signature is forged',
  backdated: 'was put in by hand: its time is more than an hour before that of a record before it',
  postdated: 'was put in by hand: its time is more than an hour after that of the signature over it',
}

function sentenceOf({ seq, id, reason }: Bad, keys: PublicKeys, head: Checkpoint): string {
  if (reason === 'head_forged' && !keys.has(head.kid))
    return `INVALID: the key ${head.kid} that signed this export is not in the key set.`
  return `INVALID: record ${seq}${id ? ` (${id})` : ''} ${said[reason]}.`
}

function mistimedSentence(first: Bad, count: number): string {
  const others = count > 1 ? `\n${count - 1} more records have such a time.` : ''
  return `INVALID: record ${first.seq} (${first.id}) ${said[first.reason]}.\nApart from that the chain is whole.${others}`
}

function praise({ company, seq, hash, begins, time }: Checkpoint, records: number): string {
  const from = begins.seq > 0 ? `\nRecords up to ${begins.seq} were purged before.` : ''
  return `valid, ${records} records of company ${company}, checkpoint ${seq} ${hash} of ${time}${from}`
}
