import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { appName, logo } from '../app-facts.ts'
import { classes } from '../ui/classes.ts'
import { focusHeading, isFocusLost } from '../ui/dialog-focus.ts'
import { useTitle } from '../ui/Page.tsx'
import styles from './AuthFrame.module.css'

interface AuthFrameProps {
  title: string
  intro?: ReactNode
  children?: ReactNode
  /** Below the card: the other way, such as to the sign-up. */
  foot?: ReactNode
  wide?: boolean
}

/** The pages of people who are not signed in: one card, one thing to do. They look like the emails that lead to them. */
export function AuthFrame({ title, intro, children, foot, wide }: AuthFrameProps) {
  useTitle(title)
  // What is done here often ends in another heading, and what had the focus is gone then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: With each heading.
  useEffect(() => {
    if (navigator.userActivation.hasBeenActive && isFocusLost()) focusHeading()
  }, [title])
  return (
    <div className={styles.frame}>
      <div className={classes(styles.inner, wide && styles.wide)}>
        <header>
          <Link to="/" className={styles.brand}>
            {logo && <img src={logo} width={28} height={28} alt="" />}
            {appName}
          </Link>
        </header>
        <main className={styles.card}>
          <div className={styles.words}>
            <h1 className={styles.title} tabIndex={-1}>
              {title}
            </h1>
            {intro && <p className={styles.intro}>{intro}</p>}
          </div>
          {children}
        </main>
        {foot && <footer className={styles.foot}>{foot}</footer>}
      </div>
    </div>
  )
}
