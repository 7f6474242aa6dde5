import { useTexts } from '../../texts/use-texts.ts'
import { classes } from '../../ui/classes.ts'
import { PasswordField, type ValueProps } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './auth.module.css'
import { passwordRules } from './rules.ts'

type Rule = keyof typeof passwordRules

type Props = ValueProps & { label: string; error: string | undefined; name: string; autoFocus?: boolean }

/** A password that is chosen: what it needs is ticked while it is typed. */
export function NewPasswordField(props: Props) {
  const { rules } = useTexts('auth')
  return (
    <PasswordField
      {...props}
      autoComplete="new-password"
      hint={
        <ul className={styles.rules} aria-label={rules.title}>
          {(Object.keys(passwordRules) as Rule[]).map((name) => {
            const met = passwordRules[name](props.value)
            return (
              <li key={name} className={classes(styles.rule, met && styles.met)}>
                <Icon name="check" size={14} />
                {rules[name]}
                <span className="unseen"> ({met ? rules.met : rules.notMet})</span>
              </li>
            )
          })}
        </ul>
      }
    />
  )
}
