import { useNavigate, useSearch } from '@tanstack/react-router'

const NAMES = ['action', 'outcome', 'targetType', 'targetId', 'actorId', 'from', 'to'] as const

/** As in the address; `from` and `to` are days of the reader’s calendar. */
export type Filters = Partial<Record<(typeof NAMES)[number], string>>

export function useFilters() {
  const search: Filters = useSearch({ strict: false })
  const navigate = useNavigate({ from: '/c/$companyId/audit' })
  const filters: Filters = Object.fromEntries(NAMES.filter((name) => search[name]).map((name) => [name, search[name]]))
  return {
    filters,
    isFiltered: Object.keys(filters).length > 0,
    change: (changes: { [Name in keyof Filters]: string | undefined }) => {
      const next = Object.entries({ ...filters, ...changes }).filter(([, value]) => value)
      void navigate({ search: Object.fromEntries(next) })
    },
    clear: () => void navigate({ search: {} }),
  }
}

/** As the service takes them: days become the moments in which they begin and end here. */
export function queryOf({ from, to, ...others }: Filters) {
  const [begin, end] = [momentOf(from, '00:00:00.000'), momentOf(to, '23:59:59.999')]
  // Any action and outcome may be in the address: the service says which it knows.
  return { ...others, ...(begin && { from: begin }), ...(end && { to: end }) } as {
    actorId?: string
    from?: string
    to?: string
  }
}

function momentOf(day: string | undefined, time: string): string | undefined {
  const moment = new Date(`${day}T${time}`)
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString()
}
