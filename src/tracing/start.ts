import { context, DiagLogLevel, diag, propagation } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Logger } from 'pino'
import type { Tracing } from '../config/config.ts'
import { openTelemetrySpans } from './open-telemetry.ts'
import { tracing } from './spans.ts'

/** A receiver that is away would otherwise fill the log. */
const LOG_EVERY_MS = 60_000
/** Longer than a receiver takes that works. */
const FLUSH_MS = 2000

export interface TracingOptions {
  config: Tracing
  log: Logger
  version: string
}

/**
 * Sends spans by OTLP, in batches and beside the requests. The libraries read the other OTEL_* variables themselves. What can't
 * be sent is dropped. Returns a function that sends what is left and ends it.
 */
export async function startTracing({ config, log, version }: TracingOptions): Promise<() => Promise<void>> {
  reportProblems(log)
  const own = resourceFromAttributes({ 'service.name': 'tenantry', 'service.version': version })
  const provider = new BasicTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(await openExporter(config))],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  tracing.spans = openTelemetrySpans(provider.getTracer('tenantry', version))
  log.info({ protocol: config.protocol }, 'traces are sent')
  return async () => {
    tracing.spans = undefined
    const timeout = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref())
    await Promise.race([provider.shutdown().catch(() => {}), timeout])
    context.disable()
    propagation.disable()
    diag.disable()
  }
}

async function openExporter({ protocol }: Tracing): Promise<SpanExporter> {
  if (protocol === 'http/json') return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter()
  return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter()
}

/** Only the first problem of a while: each batch that can't be sent is one. */
function reportProblems(log: Logger): void {
  let since = Number.NEGATIVE_INFINITY
  const warn = (reason: unknown) => {
    if (performance.now() - since < LOG_EVERY_MS) return
    since = performance.now()
    const { name, code, message } = (
      reason instanceof Error ? reason : new Error(String(reason))
    ) as NodeJS.ErrnoException
    log.warn({ reason: { name, code, message } }, 'traces could not be sent')
  }
  setGlobalErrorHandler(warn)
  diag.setLogger({ error: warn, warn, info() {}, debug() {}, verbose() {} }, DiagLogLevel.WARN)
}
