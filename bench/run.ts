import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import autocannon from 'autocannon'
import { end, freePort, memoryMiB, send, start, startService, waitForResponse } from './service.ts'

// Measures requests per second, alternating with a bare Fastify route. The result is the ratio to that route, because
// the figures depend on the machine, which service, database and load generator share.

const SECONDS = Number(process.env.SECONDS ?? 4)
const ROUNDS = Number(process.env.ROUNDS ?? 3)
const CONNECTIONS = 32

type Options = Omit<autocannon.Options, 'connections' | 'duration'>

interface Load {
  name: string
  options(): Options | Promise<Options>
}

const dataDir = mkdtempSync(path.join(tmpdir(), 'tenantry-bench-'))
const barePort = await freePort()
const { child, api } = await startService(dataDir)
const children: ChildProcess[] = [child]
try {
  console.log(`first response ${await waitForResponse(`${api}/health`)} ms after the start, with a new database`)
  children.push(start('bench/bare.ts', { PORT: String(barePort) }))
  await waitForResponse(`http://127.0.0.1:${barePort}/`)
  await compare(await loads())
  console.log(`memory of the service ${memoryMiB(child)} MiB`)
} finally {
  await end(children)
  rmSync(dataDir, { recursive: true, force: true })
}

async function loads(): Promise<Load[]> {
  const person = { email: 'bench@example.com', password: 'Correct-horse-7' }
  const signedUp = await send(api, '/auth/register', { ...person, name: 'Bench', companyName: 'Bench', taxId: '1' })
  const json = { 'content-type': 'application/json' }
  const authorization = `Bearer ${signedUp.accessToken}`
  const company = signedUp.tenants[0].id
  for (let i = 0; i < 30; i++) {
    await send(
      api,
      '/companies/users',
      { name: `Member ${i}`, email: `m${i}@example.com` },
      { authorization, 'x-company-id': company },
    )
  }
  return [
    { name: 'bare Fastify route', options: () => ({ url: `http://127.0.0.1:${barePort}/` }) },
    { name: 'me', options: () => ({ url: `${api}/auth/me`, headers: { authorization } }) },
    {
      name: 'member list',
      options: () => ({ url: `${api}/companies/users`, headers: { authorization, 'x-company-id': company } }),
    },
    {
      name: 'login',
      options: () => ({ url: `${api}/auth/login`, method: 'POST', headers: json, body: JSON.stringify(person) }),
    },
    { name: 'refresh', options: () => refreshOptions(person, json) },
  ]
}

/**
 * Each connection sends the refresh token of its last response. Each run signs in anew, because a run ends
 * mid-response.
 */
async function refreshOptions(person: object, headers: Record<string, string>): Promise<Options> {
  const tokens: string[] = []
  while (tokens.length < CONNECTIONS) tokens.push((await send(api, '/auth/login', person)).refreshToken)
  let next = 0
  const setupClient = (client: autocannon.Client) => {
    const index = next++
    const body = () => JSON.stringify({ refreshToken: tokens[index] })
    client.setBody(body())
    client.on('body', (answer: Buffer) => {
      tokens[index] = JSON.parse(answer.toString()).data.refreshToken
      client.setBody(body())
    })
  }
  return { url: `${api}/auth/refresh`, method: 'POST', headers, setupClient }
}

async function compare(loads: Load[]): Promise<void> {
  const rates = new Map(loads.map(({ name }) => [name, [] as { rate: number; p99: number }[]]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, options } of loads) {
      const result = await autocannon({ ...(await options()), connections: CONNECTIONS, duration: SECONDS })
      if (result.non2xx > 0) throw new Error(`${name}: ${result.non2xx} responses were not 2xx`)
      rates.get(name)?.push({ rate: result.requests.average, p99: result.latency.p99 })
    }
  }
  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number
  const floor = median((rates.get(loads[0]?.name as string) ?? []).map(({ rate }) => rate))
  for (const [name, results] of rates) {
    const rate = median(results.map((result) => result.rate))
    const p99 = median(results.map((result) => result.p99))
    console.log(
      `${name.padEnd(20)} ${rate.toFixed(0).padStart(7)} /s  ${(rate / floor).toFixed(3)} of bare  p99 ${p99} ms`,
    )
  }
}
