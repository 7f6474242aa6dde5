/** Every metric. docs/operations.md has them in a table, which a test compares with this list and with a real scrape. */

interface Definition {
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  /** What the numbers of several processes become; by default their sum. */
  together?: 'max'
}

export const catalogue = {
  tenantry_build_info: { type: 'gauge', help: 'Always 1; the labels name what runs.', together: 'max' },
  tenantry_processes: { type: 'gauge', help: 'Processes that have answered this scrape.' },

  tenantry_http_request_duration_seconds: {
    type: 'histogram',
    help: 'From the header of a request to the end of its response, by the pattern of its path; empty for unknown paths.',
  },
  tenantry_http_internal_errors_total: { type: 'counter', help: 'Responses with status 500, each of which is a bug.' },
  tenantry_http_connections: { type: 'gauge', help: 'Open connections of clients.' },

  tenantry_database_up: { type: 'gauge', help: '1 when the statement of this scrape was answered.', together: 'max' },
  tenantry_database_connections: { type: 'gauge', help: 'Open connections.' },
  tenantry_database_connections_max: { type: 'gauge', help: 'Connections that may be open.' },
  tenantry_database_in_use: {
    type: 'gauge',
    help: 'Statements under way on shared connections (read, write), or connections in use (exclusive).',
  },
  tenantry_database_waiting: { type: 'gauge', help: 'Requests that wait for an exclusive connection.' },
  tenantry_database_wait_seconds: { type: 'histogram', help: 'How long requests waited for an exclusive connection.' },
  tenantry_database_refused_total: { type: 'counter', help: 'Requests that got no exclusive connection in time.' },
  tenantry_database_retries_total: {
    type: 'counter',
    help: 'Statements and transactions that ran again, after a deadlock mostly.',
  },
  tenantry_clock_ahead_seconds: {
    type: 'gauge',
    help: "By how much this machine's clock is ahead of the database's; below 0 when it is behind.",
    together: 'max',
  },

  tenantry_hashing_slots: { type: 'gauge', help: 'Requests whose password may be hashed at the same time.' },
  tenantry_hashing_running: { type: 'gauge', help: 'Requests whose password is being hashed.' },
  tenantry_hashing_waiting: { type: 'gauge', help: 'Requests that wait for their password to be hashed.' },
  tenantry_hashing_refused_total: { type: 'counter', help: 'Requests refused because too many wait (503 overloaded).' },

  tenantry_limit_requests_total: { type: 'counter', help: 'Requests that were counted against a limit.' },
  tenantry_limit_refused_total: { type: 'counter', help: 'Requests beyond a limit (429).' },
  tenantry_limit_fallbacks_total: {
    type: 'counter',
    help: 'Requests that were counted without Redis, as it was away.',
  },

  tenantry_sessions_created_total: { type: 'counter', help: 'Sessions that were created.' },
  tenantry_sessions_revoked_total: { type: 'counter', help: 'Sessions that were ended before they expired.' },

  tenantry_outbox_emails: { type: 'gauge', help: 'Emails that wait to be sent, at most 10000.', together: 'max' },
  tenantry_outbox_oldest_seconds: { type: 'gauge', help: 'Age of the oldest of them.', together: 'max' },
  tenantry_outbox_overdue_seconds: {
    type: 'gauge',
    help: 'For how long the next of them has been due; an attempt under way counts.',
    together: 'max',
  },
  tenantry_email_attempts_total: { type: 'counter', help: 'Attempts to send an email, by result.' },
  tenantry_email_worker_healthy: { type: 'gauge', help: 'Processes whose email worker reads the outbox.' },

  tenantry_audit_unsealed_records: {
    type: 'gauge',
    help: 'Audit records that wait for the sealer, at most 10000.',
    together: 'max',
  },
  tenantry_audit_unsealed_oldest_seconds: { type: 'gauge', help: 'Age of the oldest of them.', together: 'max' },
  tenantry_audit_seal_duration_seconds: { type: 'histogram', help: 'How long sealing a batch of records took.' },
  tenantry_audit_sealed_records_total: { type: 'counter', help: 'Audit records that were sealed.' },
  tenantry_audit_failures_total: {
    type: 'counter',
    help: 'Times that the log of a company could not be sealed or purged.',
  },

  tenantry_log_dropped_lines_total: { type: 'counter', help: 'Lines of the log that could not be written.' },

  nodejs_eventloop_lag_p50_seconds: {
    type: 'gauge',
    help: 'Median delay of the event loop since the last scrape.',
    together: 'max',
  },
  nodejs_eventloop_lag_p99_seconds: {
    type: 'gauge',
    help: '99th percentile of the delay of the event loop since the last scrape.',
    together: 'max',
  },
  nodejs_eventloop_lag_max_seconds: {
    type: 'gauge',
    help: 'Longest delay of the event loop since the last scrape.',
    together: 'max',
  },
  nodejs_eventloop_active_seconds_total: { type: 'counter', help: 'Time in which the event loop was busy.' },
  nodejs_gc_duration_seconds: { type: 'histogram', help: 'Garbage collections, by kind.' },
  nodejs_heap_size_used_bytes: { type: 'gauge', help: 'Heap of V8 in use.' },
  nodejs_heap_size_total_bytes: { type: 'gauge', help: 'Heap of V8.' },
  process_cpu_seconds_total: { type: 'counter', help: 'Processor time, user and system.' },
  process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory.' },
  process_open_fds: { type: 'gauge', help: 'Open files and sockets.' },
  process_max_fds: { type: 'gauge', help: 'Files and sockets that may be open.' },
  process_start_time_seconds: {
    type: 'gauge',
    help: 'Start, in seconds since 1970; of several the latest.',
    together: 'max',
  },
} as const satisfies Record<string, Definition>

export type MetricName = keyof typeof catalogue

export const definitionOf = (name: MetricName): Definition => catalogue[name]
