import { useMemo } from 'react'
import { useLocale } from './language.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEPS = [
  [DAY * 30, null],
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
] as const

/** Dates and numbers as the reader writes them, in the reader's time zone. */
export function useFormat() {
  const locale = useLocale()
  return useMemo(() => formatFor(locale), [locale])
}

export type Format = ReturnType<typeof formatFor>

function formatFor(locale: string) {
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
  const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const times = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const numbers = new Intl.NumberFormat(locale)
  const lists = new Intl.ListFormat(locale)
  const day = (time: string) => days.format(new Date(time))
  return {
    /** Jan 3, 2031 */
    day,
    /** Jan 3, 2031, 7:35 PM */
    moment: (time: string) => moments.format(new Date(time)),
    /** 7:35 PM */
    time: (time: string) => times.format(new Date(time)),
    /** Today; yesterday; a date before that */
    dayName: (time: string) => {
      const days = daysBetween(new Date(time), new Date())
      const name = days < 2 ? relative.format(-days, 'day') : day(time)
      return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)
    },
    /** 5 minutes ago; a date after 30 days. Beside it, or as its title, belongs the moment. */
    ago: (time: string) => {
      const seconds = (new Date(time).getTime() - Date.now()) / 1000
      const [size, unit] = STEPS.find(([step]) => Math.abs(seconds) >= step) ?? [1, 'second' as const]
      return unit === null ? day(time) : relative.format(Math.trunc(seconds / size), unit)
    },
    number: (value: number) => numbers.format(value),
    list: (items: string[]) => lists.format(items),
  }
}

/** By the calendar of the reader, also where a day has 23 or 25 hours. */
const daysBetween = (before: Date, after: Date) =>
  Math.round((new Date(after).setHours(0, 0, 0, 0) - new Date(before).setHours(0, 0, 0, 0)) / (DAY * 1000))
