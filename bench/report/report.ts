import type { Measured, Times } from '../measure.ts'
import type { Product } from '../servers/services.ts'

/** Everything that a run has measured, as it is stored. */
export interface Report {
  date: string
  commit: string
  machine: { processor: string; cores: number; memoryGib: number; system: string }
  versions: Record<'node' | 'postgres' | 'better-auth', string>
  postgresSettings: Record<string, string>
  accounts: number
  companies: number
  times: Times
  rows: ReportRow[]
  /** `me` of Tenantry in other settings, measured together. */
  variants: { title: string; measured: Measured }[]
  processes: Partial<Record<Product, ProcessReport>>
}

export interface ReportRow {
  key: string
  title: string
  measured: Partial<Record<Product, Measured>>
}

export interface ProcessReport {
  /** Of the start, up to the first response: milliseconds of CPU and of time, medians of some starts. */
  boot: { cpuMs: number; ms: number }
  /** MiB: idle after the start, and after all load. */
  memory: { idle: number; afterLoad: number }
}
