import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { it } from 'node:test'

const root = path.join(import.meta.dirname, '..', '..')

/** The address of a port on which nothing listens any more. */
async function unusedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return `127.0.0.1:${port}`
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  // The exit code tells that the process has a listener, without which the first process of a container gets no signal.
  it(`a service that waits for its database ends with 0 at ${signal}`, async () => {
    const child = spawn(process.execPath, ['src/main.ts'], {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        APP_SECRET: randomBytes(48).toString('base64'),
        DATABASE_URL: `postgres://tenantry@${await unusedAddress()}/tenantry`,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('no connection to the database yet')) child.kill(signal)
    })
    const ended = once(child, 'exit')
    const printed = (await Array.fromAsync(lines)).map((line) => JSON.parse(line))

    assert.deepEqual(await ended, [0, null])
    assert.deepEqual([printed.at(-1).msg, printed.at(-1).signal], ['ending before the start was complete', signal])
  })
}
