import type { ReactNode } from 'react'
import styles from './Badge.module.css'
import { classes } from './classes.ts'

export type Tone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger'

/** A state in a word. The color only underlines what the word says. */
export const Badge = ({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) => (
  <span className={classes(styles.badge, styles[tone])}>{children}</span>
)
