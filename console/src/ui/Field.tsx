import { type ComponentProps, type ReactNode, type Ref, type RefCallback, useId, useState } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import { classes } from './classes.ts'
import styles from './Field.module.css'
import { Icon } from './Icon.tsx'

export interface FieldProps {
  label: string
  hint?: ReactNode
  /** What is wrong with the value and how to mend it. */
  error?: string | undefined
  /** Says “(optional)” beside the label: everything else is required. */
  optional?: boolean
}

interface ControlProps {
  id: string
  className: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

/** Label, control, hint and error, connected for screen readers. */
export function Field({
  label,
  hint,
  error,
  optional,
  children,
}: FieldProps & { children: (props: ControlProps) => ReactNode }) {
  const id = useId()
  const t = useTexts('common')
  const [hintId, errorId] = [`${id}-hint`, `${id}-error`]
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
        {optional && <span className={styles.optional}>({t.optional})</span>}
      </label>
      {children({
        id,
        className: styles.control ?? '',
        'aria-describedby': classes(error ? errorId : '', hint ? hintId : '') || undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {error && (
        <p id={errorId} className={styles.error}>
          <Icon name="warning" size={14} />
          {error}
        </p>
      )}
      {hint && (
        <div id={hintId} className={styles.hint}>
          {hint}
        </div>
      )}
    </div>
  )
}

type InputProps = FieldProps & Omit<ComponentProps<'input'>, 'onChange' | 'value'> & ValueProps

/** What a form gives to each of its fields. */
export interface ValueProps {
  value: string
  onChange: (value: string) => void
  ref?: RefCallback<HTMLElement>
}

export function TextField({ label, hint, error, optional, onChange, ref, ...rest }: InputProps) {
  return (
    <Field {...{ label, hint, error, optional }}>
      {(props) => (
        <input
          {...rest}
          {...props}
          ref={ref as Ref<HTMLInputElement>}
          required={!optional}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

export const EmailField = (props: InputProps) => (
  <TextField type="email" autoComplete="email" autoCapitalize="none" spellCheck={false} {...props} />
)

/** `autoComplete`: `current-password` or `new-password`, so that password managers do the right thing. */
export function PasswordField({ label, hint, error, onChange, ref, ...rest }: InputProps & { autoComplete: string }) {
  const t = useTexts('common')
  const [revealed, setRevealed] = useState(false)
  return (
    <Field {...{ label, hint, error }}>
      {(props) => (
        <div className={styles.withAction}>
          <input
            {...rest}
            {...props}
            ref={ref as Ref<HTMLInputElement>}
            type={revealed ? 'text' : 'password'}
            autoCapitalize="none"
            spellCheck={false}
            required
            onChange={(event) => onChange(event.target.value)}
          />
          <button
            type="button"
            className={styles.action}
            aria-label={revealed ? t.hidePassword : t.showPassword}
            onClick={() => setRevealed(!revealed)}
          >
            {revealed ? t.hide : t.show}
          </button>
        </div>
      )}
    </Field>
  )
}

export function TextArea({
  label,
  hint,
  error,
  optional,
  onChange,
  ref,
  ...rest
}: FieldProps & Omit<ComponentProps<'textarea'>, 'onChange' | 'value'> & ValueProps) {
  return (
    <Field {...{ label, hint, error, optional }}>
      {(props) => (
        <textarea
          {...rest}
          {...props}
          ref={ref as Ref<HTMLTextAreaElement>}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

export interface Choice {
  value: string
  label: string
  /** Can't be chosen now; its label says why. */
  disabled?: boolean
  /** Choices that follow each other with the same one stand below it. */
  group?: string
}

/** The browser's own list, which is the best one on phones and with the keyboard. */
export function Select({
  label,
  hint,
  error,
  optional,
  options,
  onChange,
  ref,
  ...rest
}: FieldProps & Omit<ComponentProps<'select'>, 'onChange' | 'value'> & ValueProps & { options: readonly Choice[] }) {
  return (
    <Field {...{ label, hint, error, optional }}>
      {(props) => (
        <div className={styles.select}>
          <select
            {...rest}
            {...props}
            ref={ref as Ref<HTMLSelectElement>}
            onChange={(event) => onChange(event.target.value)}
          >
            <Options options={options} />
          </select>
          <Icon name="chevronDown" />
        </div>
      )}
    </Field>
  )
}

/** One of the filters above a list: its label is only for screen readers. */
export function FilterSelect({
  label,
  options,
  value,
  onChange,
}: {
  label: string
  options: readonly Choice[]
  value: string
  onChange: (value: string) => void
}) {
  return (
    <div className={styles.select}>
      <select
        className={styles.control}
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        <Options options={options} />
      </select>
      <Icon name="chevronDown" />
    </div>
  )
}

function Options({ options }: { options: readonly Choice[] }) {
  const groups = [...new Set(options.map(({ group }) => group))]
  return groups.map((group) => {
    const inside = options
      .filter((option) => option.group === group)
      .map(({ value, label, disabled }) => (
        <option key={value} value={value} disabled={disabled}>
          {label}
        </option>
      ))
    return group ? (
      <optgroup key={group} label={group}>
        {inside}
      </optgroup>
    ) : (
      inside
    )
  })
}

interface BoxProps extends Omit<ComponentProps<'input'>, 'onChange' | 'type'> {
  label: ReactNode
  /** Also the reason why it can't be changed, with `disabled`. */
  hint?: ReactNode
  onChange: (checked: boolean) => void
}

export function Checkbox({ indeterminate = false, ...props }: BoxProps & { indeterminate?: boolean }) {
  return (
    <Box
      {...props}
      type="checkbox"
      ref={(element) => {
        if (element) element.indeterminate = indeterminate
      }}
    />
  )
}

/** One of several with the same `name`, in a `<fieldset>` with a `<legend>`. */
export const Radio = (props: BoxProps) => <Box {...props} type="radio" />

function Box({ label, hint, onChange, ...rest }: BoxProps & { type: string }) {
  const id = useId()
  return (
    <label className={styles.choice}>
      <input
        {...rest}
        className={styles.box}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint ? id : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span id={`${id}-label`}>{label}</span>
      {hint && (
        <span id={id} className={styles.hint}>
          {hint}
        </span>
      )}
    </label>
  )
}
