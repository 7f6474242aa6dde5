import type { AuditRecord } from '@tenantry/client'
import { useTexts } from '../../texts/use-texts.ts'
import styles from './audit.module.css'
import { type AuditTexts, doneOf, taskOf } from './catalogue.ts'
import { type Names, useNames } from './names.ts'

/** Stand for the names in the sentence, wherever a language puts them. */
const ACTOR = '\uE000'
const TARGET = '\uE001'

/** A record as people would say it, with its names set apart. */
export function Sentence({ record }: { record: AuditRecord }) {
  const t = useTexts('audit')
  const { ofTarget } = useNames()
  const target = targetName(t, record, ofTarget)
  const names: Record<string, string> = { [ACTOR]: actorName(t, record), [TARGET]: target }
  return say(t, record, target ? TARGET : '')
    .split(/([\uE000\uE001])/)
    .map((part, index) =>
      part in names ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: The parts of one sentence stay in their order.
        <strong key={index} className={styles.name}>
          {names[part]}
        </strong>
      ) : (
        part
      ),
    )
}

export function actorName(t: AuditTexts, { actor }: AuditRecord): string {
  if (actor.erased) return t.erased
  return actor.name || actor.email || t.service
}

/** The name of what it was done to, or what the record says. Who was erased stays so, also where the name is known. */
export function targetName(t: AuditTexts, { target }: AuditRecord, ofTarget: Names['ofTarget']): string {
  if (target.erased) return target.label || t.erased
  return ofTarget(target)
}

function say(t: AuditTexts, { action, outcome, changes }: AuditRecord, target: string): string {
  const task = taskOf(t, action)
  if (outcome !== 'done' && task) {
    const tried = t.tried({ actor: ACTOR, task })
    return target ? `${tried}: ${target}` : tried
  }
  const done = doneOf(t, narrower(action, changes))
  if (done) return done({ actor: ACTOR, target }).trim()
  return t.other({ actor: ACTOR, action, target }).trim()
}

/** A change of status is said by its own verb, whatever else has changed with it. */
function narrower(action: string, { status }: AuditRecord['changes']): string {
  const [resource, verb] = action.split('.')
  if (verb !== 'update' || !STATUSES.includes(status?.to as string)) return action
  return `${resource}.${status?.to === 'inactive' ? 'deactivate' : 'activate'}`
}

const STATUSES = ['active', 'inactive']
