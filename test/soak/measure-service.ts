import { readdirSync } from 'node:fs'
import http from 'node:http'

// Loaded into the process of the service before its own code: answers with what it holds, after a garbage collection.

export interface Measured {
  heapUsed: number
  rss: number
  openFiles: number
  /** Timers, sockets and other things that would keep the process running. */
  handles: number
  /** Of the process since its start, in microseconds. */
  cpu: number
}

const collect = (globalThis as { gc?: () => void }).gc

const server = http.createServer((_request, response) => {
  collect?.()
  const { heapUsed, rss } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const openFiles = readdirSync('/proc/self/fd').length
  const measured: Measured = {
    heapUsed,
    rss,
    openFiles,
    handles: process.getActiveResourcesInfo().length,
    cpu: user + system,
  }
  response.setHeader('connection', 'close').end(JSON.stringify(measured))
})
server.listen(Number(process.env.MEASURE_PORT), '127.0.0.1').unref()
