import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { appName } from '../app-facts.ts'
import { classes } from './classes.ts'
import { Icon } from './Icon.tsx'
import styles from './Page.module.css'

interface PageProps {
  /** The heading, and the title of the window. */
  title: string
  /** What is done here, in a sentence. */
  intro?: ReactNode
  /** At the end of the heading's line: the page's one primary button, and others beside it. */
  actions?: ReactNode
  /** The list that this page belongs to. */
  parent?: { to: string; label: string }
  /** For forms and texts, whose lines would get too long. */
  narrow?: boolean
  children: ReactNode
}

/** Every page of the console below the navigation. */
export function Page({ title, intro, actions, parent, narrow, children }: PageProps) {
  useTitle(title)
  return (
    <div className={classes(styles.page, narrow && styles.narrow)}>
      <header className={styles.header}>
        <div className={styles.words}>
          {parent && (
            <Link to={parent.to} className={styles.parent}>
              <Icon name="chevronLeft" size={14} />
              {parent.label}
            </Link>
          )}
          <h1 className={styles.title} tabIndex={-1}>
            {title}
          </h1>
          {intro && <p className={styles.intro}>{intro}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${appName}`
  }, [title])
}

interface CardProps {
  title?: ReactNode
  intro?: ReactNode
  /** At the end of the heading's line, small. */
  actions?: ReactNode
  children: ReactNode
}

/** A part of a page with a heading of its own. */
export function Card({ title, intro, actions, children }: CardProps) {
  return (
    <section className={styles.card}>
      {title && (
        <div className={styles.cardHead}>
          <div className={styles.cardLine}>
            <h2 className={styles.cardTitle}>{title}</h2>
            {actions}
          </div>
          {intro && <p className={styles.intro}>{intro}</p>}
        </div>
      )}
      {children}
    </section>
  )
}

/** Names and values of one thing. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name} className={styles.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
