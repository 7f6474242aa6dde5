import type { Checkpoint } from '../chain/hashing.ts'
import type { SealedRecord } from '../chain/sealed-record.ts'

// A real export, of a company that was just created.

export const exampleCheckpoint: Checkpoint = {
  company: '01a20200-8bf4-70fd-b477-2d04a8fa8808',
  number: 1,
  seq: 2,
  hash: 'e6220544483b661be34e90c5b4b7ae0c6c518340b26029618b85ef6ed92ebf88',
  begins: { seq: 0, hash: '2fd63c5fa94c6c1ffb7e0b3f0c225162d11cef85ef7bb1bcf0adf9fe57dd0c14', number: 0 },
  time: '2026-11-22T06:45:20.062Z',
  kid: 'KuMjrSZ6tWpmQ02qvnUBLeaXkJIxPbm2gijNKlPZILs',
  signature: 'NBJbMRdZ7vMP6xekry__5CHp4vQiL3lwnc1AxGPcKQ-THzJxJDrk32GRGQv7irFQ-gfMqJcUrZEYJip4O-JRCg',
}

export const exampleRecords: SealedRecord[] = [
  {
    seq: 1,
    hash: '780298f8e16dd6c05eb0e6db63acf9e1c0baeee797676dd7050f1a99df1f45ef',
    v: 1,
    id: '01a20200-8bfe-730e-b922-d8e0848704a0',
    created_at: '2026-11-22T06:45:19.998Z',
    action: 'companies.create',
    outcome: 'done',
    actor: { id: '01a20200-8be7-7121-b6d0-7186e28ceb4c', name: 'Ann Lovelace', email: 'ann@example.com' },
    target: { type: 'company', id: '01a20200-8bf4-70fd-b477-2d04a8fa8808', label: 'Acme' },
    changes: {},
    ip: '127.0.0.1',
    user_agent: 'node',
    request_id: '7f0a85cd-d620-4c00-b75e-f35627e73e70',
  },
  {
    seq: 2,
    hash: 'e6220544483b661be34e90c5b4b7ae0c6c518340b26029618b85ef6ed92ebf88',
    v: 1,
    id: '01a20200-8c30-77a4-b857-9296a8fad958',
    created_at: '2026-11-22T06:45:20.056Z',
    action: 'audit.export',
    outcome: 'done',
    actor: { id: '01a20200-8be7-7121-b6d0-7186e28ceb4c', name: 'Ann Lovelace', email: 'ann@example.com' },
    target: { type: 'company', id: '01a20200-8bf4-70fd-b477-2d04a8fa8808', label: '' },
    changes: { format: { to: 'ndjson' } },
    ip: '127.0.0.1',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    request_id: '39831fef-d565-449b-bf62-85d4bdace867',
  },
]
