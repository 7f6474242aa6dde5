import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { end, send, start, startService, waitForResponse } from './service.ts'

// Measures the member list and its search in companies of several sizes, and how many members 32 clients add in
// parallel: npm run bench:members -- 100 100000 1000000

const REQUESTS = 15
const PARALLEL_CLIENTS = 32
const ADD_SECONDS = 5
const queries = [
  '',
  '?sortBy=created_at&sortDir=desc',
  '?status=inactive',
  '?search=garcia%2077',
  '?search=maria',
  '?search=qqqq',
  '?search=ma',
]

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [100, 100_000]
for (const size of sizes) await measure(size)

async function measure(size: number): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tenantry-bench-'))
  const seed = start('scripts/seed.ts', { DATA_DIR: dataDir, LOG_LEVEL: 'silent' }, ['--members', String(size)])
  await once(seed, 'exit')
  const { child, api } = await startService(dataDir)
  try {
    await waitForResponse(`${api}/health`)
    const { accessToken, tenants } = await send(api, '/auth/login', {
      email: 'ann@example.com',
      password: 'Correct-horse-7',
    })
    const headers = { authorization: `Bearer ${accessToken}`, 'x-company-id': tenants[0].id }
    for (const query of queries) await measureList(size, `${api}/companies/users${query}`, headers, query)
    console.log(
      `${size} members: ${await addMembers(api, headers)} new members per second by ${PARALLEL_CLIENTS} clients`,
    )
  } finally {
    await end([child])
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function measureList(size: number, url: string, headers: Record<string, string>, query: string): Promise<void> {
  const times: number[] = []
  for (let i = 0; i < REQUESTS; i++) {
    const since = performance.now()
    const response = await fetch(url, { headers })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${query}: ${response.status}`)
    times.push(performance.now() - since)
  }
  const p50 = times.sort((a, b) => a - b)[Math.floor(REQUESTS / 2)] as number
  console.log(`${String(size).padStart(8)} members  ${(query || 'the list').padEnd(32)} p50 ${p50.toFixed(1)} ms`)
}

async function addMembers(api: string, headers: Record<string, string>): Promise<number> {
  const until = performance.now() + ADD_SECONDS * 1000
  let added = 0
  const clients = Array.from({ length: PARALLEL_CLIENTS }, async (_, index) => {
    for (let i = 0; performance.now() < until; i++, added++) {
      await send(api, '/companies/users', { name: `New ${index}`, email: `new.${index}.${i}@example.com` }, headers)
    }
  })
  await Promise.all(clients)
  return Math.round(added / ADD_SECONDS)
}
