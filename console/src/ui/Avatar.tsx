import type { CSSProperties, ReactNode } from 'react'
import styles from './Avatar.module.css'
import { classes } from './classes.ts'

/** Letters on a color that follows from the name: pictures would come from other sites. */
export function Avatar({ name, square }: { name: string; square?: boolean }) {
  const words = name.trim().split(/\s+/)
  const letters = [words[0], words.length > 1 ? words.at(-1) : ''].map((word) => [...(word ?? '')][0] ?? '').join('')
  return (
    <span
      className={classes(styles.avatar, square && styles.square)}
      style={{ '--hue': hueOf(name) } as CSSProperties}
      aria-hidden="true"
    >
      {letters.toUpperCase()}
    </span>
  )
}

const hueOf = (name: string) => [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7)

/** A person or a company in a row: picture, name, and a line below. */
interface IdentityProps {
  name: string
  /** Instead of the plain name, such as a link of that name. */
  children?: ReactNode
  detail?: ReactNode
  square?: boolean
}

export function Identity({ name, children = name, detail, square }: IdentityProps) {
  return (
    <span className={styles.who}>
      <Avatar name={name} square={square} />
      <span className={styles.words}>
        <span className={styles.name}>{children}</span>
        {detail && <span className={styles.detail}>{detail}</span>}
      </span>
    </span>
  )
}
