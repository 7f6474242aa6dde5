import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Distribution, Histogram } from '../lib/histogram.ts'

export interface RouteTimes {
  method: string
  /** The pattern of the path; empty for requests that match none. */
  route: string
  status: number
  /** In seconds, from the arrival of the header to the end of the response. */
  times: Distribution
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const OTHER_METHOD = '_OTHER'
const NO_ROUTE = ''

/**
 * How long requests take, by route. Each route has a hook that knows its own numbers, so that a request looks nothing up
 * by name. What strangers choose, such as paths and methods, never makes a new series.
 */
export class RequestTimes {
  readonly #series: SeriesOfRoute[] = []
  readonly #unknown = new Map<string, SeriesOfRoute>()

  track(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => {
      const [method = OTHER_METHOD] = [route.method].flat()
      const series = this.#add(method, route.url)
      const hooks = [route.onResponse ?? []].flat()
      route.onResponse = [
        ...hooks,
        (_request: FastifyRequest, reply: FastifyReply, done: () => void) => {
          series.observe(reply.statusCode, reply.elapsedTime)
          done()
        },
      ]
    })
    app.addHook('onResponse', (request, reply, done) => {
      if (request.is404) this.observeUnknown(request.method, reply.statusCode, reply.elapsedTime)
      done()
    })
  }

  /** A request without a route: an unknown path, or bytes that are no request. */
  observeUnknown(method: string, status: number, ms: number): void {
    const known = METHODS.includes(method) ? method : OTHER_METHOD
    const series = this.#unknown.get(known) ?? this.#add(known, NO_ROUTE)
    this.#unknown.set(known, series)
    series.observe(status, ms)
  }

  all(): RouteTimes[] {
    return this.#series.flatMap((series) => series.all())
  }

  #add(method: string, route: string): SeriesOfRoute {
    const series = new SeriesOfRoute(method, route)
    this.#series.push(series)
    return series
  }
}

class SeriesOfRoute {
  readonly #method: string
  readonly #route: string
  readonly #byStatus = new Map<number, Histogram>()

  constructor(method: string, route: string) {
    this.#method = method
    this.#route = route
  }

  observe(status: number, ms: number): void {
    let times = this.#byStatus.get(status)
    if (!times) {
      times = new Histogram()
      this.#byStatus.set(status, times)
    }
    times.observe(ms / 1000)
  }

  all(): RouteTimes[] {
    return Array.from(this.#byStatus, ([status, times]) => ({
      method: this.#method,
      route: this.#route,
      status,
      times,
    }))
  }
}
