import type { Checkpoint } from '../chain/hashing.ts'
import type { SealedRecord } from '../chain/sealed-record.ts'

// A real export, of a company that was just created.

export const exampleCheckpoint: Checkpoint = {
  company: '01a20763-64c1-7105-9c13-cca3ddfc72a1',
  number: 1,
  seq: 2,
  hash: '8a9faac3ff980f517ebc04b655965e5ee8b7e348de975503e2fc7ba934dd572e',
  begins: { seq: 0, hash: 'e30585a10e547d425b95f1baa1099f95effa624014f2a436434968348054d4dc', number: 0 },
  time: '2026-11-23T07:51:24.479Z',
  kid: '5w2AXrgimfIz800jCSUpSTIpoqDpTJVfH8Dl82Cgi2g',
  signature: 'dldmUtFssvptAGv3I-wkEEu_zkAV-Rk7SiAOXzE5UvPsukjYafZQPZKfkxe5nmirwr-qmd1vidX0BmNRZcHeAA',
}

export const exampleRecords: SealedRecord[] = [
  {
    seq: 1,
    hash: '0110e34a3babfa57d1846f161a5876801616b419401b71be2d970061b8d24d99',
    v: 2,
    id: '01a20763-64ea-70b3-ac99-10d9e20558da',
    created_at: '2026-11-23T07:51:24.140Z',
    action: 'companies.create',
    outcome: 'done',
    actor: {
      id: '01a20763-64b2-769f-9ad3-e2990a7a9591',
      kind: 'person',
      name: 'Ann Lovelace',
      email: 'ann@example.com',
    },
    via: null,
    target: { type: 'company', id: '01a20763-64c1-7105-9c13-cca3ddfc72a1', label: 'Acme' },
    changes: {},
    ip: '127.0.0.1',
    user_agent: 'node',
    request_id: '5074873a-1e6b-4d4b-a11e-f60ef046bfd4',
    personal: {
      actor: { salt: '0dfdbf63bc563e1f2310b86e256dbe93' },
      target: { salt: '1ea058cd42aa4c24c08d2325ea2ad282' },
    },
  },
  {
    seq: 2,
    hash: '8a9faac3ff980f517ebc04b655965e5ee8b7e348de975503e2fc7ba934dd572e',
    v: 2,
    id: '01a20763-6610-716d-95bd-8b6edf673349',
    created_at: '2026-11-23T07:51:24.436Z',
    action: 'audit.export',
    outcome: 'done',
    actor: {
      id: '01a20763-64b2-769f-9ad3-e2990a7a9591',
      kind: 'person',
      name: 'Ann Lovelace',
      email: 'ann@example.com',
    },
    via: { type: 'session', id: '01a20763-64bd-76e9-8535-3fd4234bd7ca' },
    target: { type: 'company', id: '01a20763-64c1-7105-9c13-cca3ddfc72a1', label: '' },
    changes: { format: { to: 'ndjson' } },
    ip: '127.0.0.1',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    request_id: '12fc2b15-d437-48ab-9da4-e16f51adeb1f',
    personal: {
      actor: { salt: '8d58748f97d73568d59a9284eac69c16' },
      target: { salt: '472fcb54541ad474631f185715356b89' },
    },
  },
]
