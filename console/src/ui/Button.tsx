import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import styles from './Button.module.css'
import { classes } from './classes.ts'
import { Icon, type IconName } from './Icon.tsx'

interface Look {
  /** One `primary` on a page at most: what most people come for. */
  variant?: 'primary' | 'secondary' | 'quiet' | 'danger'
  size?: 'small' | 'medium'
  icon?: IconName
  /** Fills the width of what it is in. */
  wide?: boolean
}

export interface ButtonProps extends Look, Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  /** While what was asked for is under way: it stays where it is and does nothing. */
  busy?: boolean
  /** Not possible now; say why beside it. What is never possible for this person is not shown at all. */
  unavailable?: boolean
  ref?: Ref<HTMLButtonElement>
}

export function Button({ variant, size, icon, wide, busy, unavailable, children, onClick, ...rest }: ButtonProps) {
  const held = busy || unavailable
  return (
    <button
      type="button"
      {...rest}
      className={look({ variant, size, wide }, rest.className)}
      {...(held && { 'aria-disabled': true })}
      onClick={(event) => (held ? event.preventDefault() : onClick?.(event))}
    >
      {busy ? <span className={styles.spinner} aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** A button that is only a picture; `label` is its name for screen readers and its tooltip. */
export function IconButton({
  label,
  icon,
  ...rest
}: Omit<ButtonProps, 'children'> & { label: string; icon: IconName }) {
  const className = classes(styles.iconOnly, rest.className)
  return <Button variant="quiet" {...rest} className={className} icon={icon} aria-label={label} title={label} />
}

type AnchorProps = Look &
  AnchorHTMLAttributes<HTMLAnchorElement> & { children?: ReactNode; ref?: Ref<HTMLAnchorElement> }

function Anchor({ variant, size, icon, wide, children, ...rest }: AnchorProps) {
  return (
    <a {...rest} className={look({ variant, size, wide }, rest.className)}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  )
}

/** A link that looks like a button. */
export const ButtonLink = createLink(Anchor)

type Undefinable<Part> = { [Key in keyof Part]?: Part[Key] | undefined }

function look({ variant = 'secondary', size, wide }: Undefinable<Look>, more?: string): string {
  return classes(styles.button, styles[variant], size === 'small' && styles.small, wide && styles.wide, more)
}
