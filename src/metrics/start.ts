import type { Logger } from 'pino'
import { type Sources, startCollector } from './collect.ts'
import { type MetricsServer, serveMetrics } from './server.ts'
import { textOf } from './text.ts'

/** Measures this process and serves the numbers. */
export async function startMetrics(
  { host, port, log }: { host: string; port: number; log: Logger },
  sources: Sources,
): Promise<MetricsServer> {
  const collector = startCollector(sources)
  const scrape = async () => textOf(await collector.collect())
  try {
    const { address, stop } = await serveMetrics({ host, port, log, scrape })
    log.info({ address }, 'metrics are served')
    return { address, stop: () => stop().finally(() => collector.stop()) }
  } catch (error) {
    collector.stop()
    throw error
  }
}
