import type { Logger } from 'pino'
import { type Sources, startCollector } from './collect.ts'
import { answerCollections, type Channel, collectFrom } from './processes.ts'
import { together } from './samples.ts'
import { type MetricsServer, serveMetrics } from './server.ts'
import { textOf } from './text.ts'

interface Place {
  host: string
  port: number
  log: Logger
}

/** Measures this process, and serves the numbers or hands them to the primary process. */
export async function startMetrics(
  { primary, ...place }: Place & { primary: Channel | undefined },
  sources: Sources,
): Promise<Pick<MetricsServer, 'stop'> & { address?: string }> {
  const collector = startCollector(sources)
  if (primary) return answerCollections(primary, collector)
  try {
    const { address, stop } = await serve(place, async () => textOf(await collector.collect()))
    return { address, stop: () => stop().finally(() => collector.stop()) }
  } catch (error) {
    collector.stop()
    throw error
  }
}

/** Serves the numbers of several processes, added up. */
export const serveTogether = (place: Place, workers: () => Iterable<Channel>): Promise<MetricsServer> =>
  serve(place, async () => textOf(together(await collectFrom(workers()))))

async function serve(place: Place, scrape: () => Promise<string>): Promise<MetricsServer> {
  const server = await serveMetrics({ ...place, scrape })
  place.log.info({ address: server.address }, 'metrics are served')
  return server
}
