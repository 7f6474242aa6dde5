import type { Policy } from '@tenantry/client'

/** As a form holds a policy: texts, and flags. */
export interface PolicyValues {
  required: Policy['secondFactor']['required']
  roleIds: string[]
  /** A day, as inputs write it. */
  from: string
  maxAge: string
  idle: string
  stepUp: string
  networks: string
  members: string
  isAlsoAdded: boolean
  minLength: string
  refuseCommon: boolean
}

export type PolicyChanges = { [Part in keyof Policy]?: Partial<Policy[Part]> }

/** A day of the reader's calendar: `2031-01-03`. */
export function dayOf(time: string | Date): string {
  const date = new Date(time)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** A date that has passed is no grace any more. */
const isAhead = (from: string | null): from is string => from !== null && Date.parse(from) > Date.now()

const text = (value: number | null) => (value === null ? '' : String(value))

export function valuesOf({ secondFactor, sessions, networks, members, passwords }: Policy): PolicyValues {
  const { required, roleIds, from } = secondFactor
  return {
    required,
    roleIds,
    from: isAhead(from) ? dayOf(from) : '',
    maxAge: text(sessions.maxAgeHours),
    idle: text(sessions.idleMinutes),
    stepUp: text(sessions.stepUpMinutes),
    networks: networks.allow.join('\n'),
    members: members.domains.join('\n'),
    isAlsoAdded: members.appliesTo === 'invitations_and_additions',
    minLength: String(passwords.minLength),
    refuseCommon: passwords.refuseCommon,
  }
}

const number = (value: string) => (value === '' ? null : Number(value))
const lines = (value: string) => value.split(/[\s,;]+/).filter(Boolean)
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Only the parts that are other than before, so that what someone else saves meanwhile stays. */
export function changesOf(values: PolicyValues, base: PolicyValues): PolicyChanges {
  const differs = (...names: (keyof PolicyValues)[]) => names.some((name) => !isSame(values[name], base[name]))
  const { required, roleIds, from } = values
  return {
    ...(differs('required', 'roleIds', 'from') && {
      secondFactor: {
        required,
        roleIds: required === 'roles' ? roleIds : [],
        ...(differs('from') && { from: from && required !== 'nobody' ? startOf(from) : null }),
      },
    }),
    ...(differs('maxAge', 'idle', 'stepUp') && {
      sessions: {
        maxAgeHours: number(values.maxAge),
        idleMinutes: number(values.idle),
        stepUpMinutes: number(values.stepUp),
      },
    }),
    ...(differs('networks') && { networks: { allow: lines(values.networks) } }),
    ...(differs('members', 'isAlsoAdded') && {
      members: {
        domains: lines(values.members),
        appliesTo: values.isAlsoAdded ? 'invitations_and_additions' : 'invitations',
      },
    }),
    ...(differs('minLength', 'refuseCommon') && {
      passwords: {
        minLength: Number(values.minLength) as Policy['passwords']['minLength'],
        refuseCommon: values.refuseCommon,
      },
    }),
  }
}

/** The day begins where the reader is. */
const startOf = (day: string) => new Date(`${day}T00:00`).toISOString()
