import type { AuditRecord } from '@tenantry/client'
import { useTexts } from '../../texts/use-texts.ts'
import styles from './audit.module.css'
import { type AuditTexts, doneOf, taskOf } from './catalogue.ts'

/** Stand for the names in the sentence, wherever a language puts them. */
const ACTOR = '\uE000'
const TARGET = '\uE001'

/** A record as people would say it, with its names set apart. */
export function Sentence({ record }: { record: AuditRecord }) {
  const t = useTexts('audit')
  const names: Record<string, string> = { [ACTOR]: actorName(t, record), [TARGET]: record.target.label }
  return say(t, record)
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

export const actorName = (t: AuditTexts, { actor }: AuditRecord): string => actor.name || actor.email || t.service

function say(t: AuditTexts, { action, outcome, target }: AuditRecord): string {
  const task = taskOf(t, action)
  if (outcome !== 'done' && task) {
    const tried = t.tried({ actor: ACTOR, task })
    return target.label ? `${tried}: ${TARGET}` : tried
  }
  const done = doneOf(t, action)
  if (done) return done({ actor: ACTOR, target: target.label ? TARGET : '' }).trim()
  return t.other({ actor: ACTOR, action, target: target.label ? TARGET : '' }).trim()
}
