import { type FormEvent, type RefCallback, useEffect, useRef, useState } from 'react'
import { isProblem } from '../api/problems.ts'
import { useSayProblem } from '../api/use-say-problem.ts'
import type { ValueProps } from './Field.tsx'

type Errors<Values> = { [Key in keyof Values]?: string | undefined }
/** Fields of text have an input to focus; what else a form holds (lists of ids, flags) is set by `set`. */
type TextKey<Values> = { [Key in keyof Values]: Values[Key] extends string ? Key : never }[keyof Values] & string

export interface FormOptions<Values> {
  initial: Values
  /** What the form itself can tell, in the reader's language. The service has the last word. */
  check?: (values: Values) => Errors<Values>
  /** Rejects with a problem: shown at the fields that it names, else above the buttons. */
  submit: (values: Values) => Promise<unknown>
  /** Fields to which a problem belongs that names none: `{ email_taken: 'email' }`. */
  fieldOf?: { [code: string]: keyof Values & string }
  /** What such a problem means in this form, where it means another thing elsewhere. */
  words?: { [code: string]: string }
}

export interface Form<Values> {
  values: Values
  set: (changes: Partial<Values>) => void
  /** The props of one field: `<TextField label={…} {...form.field('name')} />`. */
  field: (name: TextKey<Values>) => ValueProps & { name: string; error: string | undefined }
  errors: Errors<Values>
  /** What concerns the form as a whole. */
  problem: unknown
  busy: boolean
  isChanged: boolean
  reset: (values: Values) => void
  onSubmit: (event?: FormEvent) => Promise<void>
}

/** One form: its values, its errors, and its submission, one at a time. The first field with an error takes the focus. */
export function useForm<Values extends object>({
  initial,
  check,
  submit,
  fieldOf = {},
  words = {},
}: FormOptions<Values>): Form<Values> {
  const [base, setBase] = useState(initial)
  const [values, setValues] = useState(initial)
  const [errors, setErrors] = useState<Errors<Values>>({})
  const [problem, setProblem] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const { inputs, focusFirst } = useErrorFocus(errors)
  const { fieldErrors } = useSayProblem()
  // A page that was hidden until its company let the person in shows no problem that is over.
  useEffect(() => () => setProblem(undefined), [])

  const set = (changes: Partial<Values>) => {
    setValues((before) => ({ ...before, ...changes }))
    setErrors((before) => without(before, Object.keys(changes)))
  }
  const show = (found: Errors<Values>) => {
    setErrors(found)
    focusFirst()
  }
  const refuse = (error: unknown) => {
    const named = isProblem(error) ? fieldErrors(error, fieldOf) : {}
    const ownField = isProblem(error) && fieldOf[error.code]
    if (ownField && words[error.code]) named[ownField] = words[error.code] ?? ''
    // What is wrong within a list is a matter of the one field that holds it.
    const fieldAt = (path: string) => (inputs.current.has(path) ? path : (path.split('.')[0] ?? path))
    const known = Object.entries(named)
      .map(([path, text]) => [fieldAt(path), text] as const)
      .filter(([name]) => inputs.current.has(name))
    if (known.length > 0) show(Object.fromEntries(known) as Errors<Values>)
    else setProblem(error)
  }
  const onSubmit = async (event?: FormEvent) => {
    event?.preventDefault()
    if (busy) return
    setProblem(undefined)
    const found = check?.(values) ?? {}
    if (Object.values(found).some(Boolean)) return show(found)
    setBusy(true)
    await submit(values).catch(refuse)
    setBusy(false)
  }

  return {
    values,
    set,
    field: (name) => ({
      name,
      value: values[name] as string,
      error: errors[name],
      onChange: (value) => set({ [name]: value } as Partial<Values>),
      ref: remember(inputs.current, name),
    }),
    errors,
    problem,
    busy,
    isChanged: JSON.stringify(values) !== JSON.stringify(base),
    reset: (next) => {
      setBase(next)
      setValues(next)
      setErrors({})
      setProblem(undefined)
    },
    onSubmit,
  }
}

const without = <Values>(errors: Errors<Values>, names: string[]) =>
  Object.fromEntries(Object.entries(errors).filter(([name]) => !names.includes(name))) as Errors<Values>

const remember =
  (inputs: Map<string, HTMLElement>, name: string): RefCallback<HTMLElement> =>
  (element) => {
    if (element) inputs.set(name, element)
    return () => void inputs.delete(name)
  }

/** In the order in which the fields stand on the page. */
function useErrorFocus<Values>(errors: Errors<Values>) {
  const inputs = useRef(new Map<string, HTMLElement>())
  const [round, setRound] = useState(0)
  const latest = useRef(errors)
  latest.current = errors
  useEffect(() => {
    if (round === 0) return
    const first = [...inputs.current].find(([name]) => latest.current[name as keyof Values])
    first?.[1].focus()
  }, [round])
  return { inputs, focusFirst: () => setRound((count) => count + 1) }
}
