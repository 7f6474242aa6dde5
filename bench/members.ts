import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { answered, end, send, start, startService } from './service.ts'

// How the member list and its search take to the size of a company, and how many members 32 callers add at once.
// npm run bench:members -- 100 100000 1000000

const REQUESTS = 15
const ADDERS = 32
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
    await answered(`${api}/health`)
    const { accessToken, tenants } = await send(api, '/auth/login', {
      email: 'ann@example.com',
      password: 'Correct-horse-7',
    })
    const headers = { authorization: `Bearer ${accessToken}`, 'x-company-id': tenants[0].id }
    for (const query of queries) await measureList(size, `${api}/companies/users${query}`, headers, query)
    console.log(`${size} members: ${await addMembers(api, headers)} new members a second by ${ADDERS} at once`)
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
  const adders = Array.from({ length: ADDERS }, async (_, place) => {
    for (let i = 0; performance.now() < until; i++, added++) {
      await send(api, '/companies/users', { name: `New ${place}`, email: `new.${place}.${i}@example.com` }, headers)
    }
  })
  await Promise.all(adders)
  return Math.round(added / ADD_SECONDS)
}
