import { readdirSync } from 'node:fs'
import { constants, monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { Histogram } from '../lib/histogram.ts'
import type { Sample, Samples } from './samples.ts'

const LAG_RESOLUTION_MS = 10
const GC_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]

const GC_KINDS = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
])

export interface ProcessMeter {
  samples(): Samples
  stop(): void
}

/** Measures this process, by the names that dashboards for Node know. */
export function startProcessMeter(): ProcessMeter {
  const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS })
  lag.enable()
  const collections = new Map(Array.from(GC_KINDS.values(), (kind) => [kind, new Histogram(GC_SECONDS)]))
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { detail: { kind: number } })[])
      collections.get(GC_KINDS.get(entry.detail.kind) ?? '')?.observe(entry.duration / 1000)
  })
  observer.observe({ entryTypes: ['gc'] })
  return {
    samples: () => ({
      ...lagSamples(lag),
      ...resourceSamples(),
      nodejs_gc_duration_seconds: Array.from(collections, ([kind, value]) => ({ labels: { kind }, value })),
    }),
    stop() {
      lag.disable()
      observer.disconnect()
    },
  }
}

/** The timer of the measurement is due every few milliseconds: only what comes on top is a delay. */
function lagSamples(lag: ReturnType<typeof monitorEventLoopDelay>): Samples {
  const seconds = (ns: number): Sample[] => [{ value: Math.max(0, ns / 1e9 - LAG_RESOLUTION_MS / 1000) }]
  const isEmpty = lag.count === 0
  const samples: Samples = {
    nodejs_eventloop_lag_p50_seconds: seconds(isEmpty ? 0 : lag.percentile(50)),
    nodejs_eventloop_lag_p99_seconds: seconds(isEmpty ? 0 : lag.percentile(99)),
    nodejs_eventloop_lag_max_seconds: seconds(isEmpty ? 0 : lag.max),
    nodejs_eventloop_active_seconds_total: [{ value: performance.eventLoopUtilization().active / 1000 }],
  }
  lag.reset()
  return samples
}

function resourceSamples(): Samples {
  const { heapUsed, heapTotal, rss } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const openFiles = countOpenFiles()
  return {
    nodejs_heap_size_used_bytes: [{ value: heapUsed }],
    nodejs_heap_size_total_bytes: [{ value: heapTotal }],
    process_cpu_seconds_total: [{ value: (user + system) / 1e6 }],
    process_resident_memory_bytes: [{ value: rss }],
    ...(openFiles !== undefined && { process_open_fds: [{ value: openFiles }] }),
    process_start_time_seconds: [{ value: performance.timeOrigin / 1000 }],
  }
}

/** Undefined on systems other than Linux. */
function countOpenFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}
