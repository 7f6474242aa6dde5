import fc from 'fast-check'
import { RuleViolation, StoryContext } from './context.ts'
import { checkInvariants } from './invariants.ts'
import type { Model } from './model.ts'
import type { Real } from './real.ts'

/** One step of a story, with its description. */
export interface Step {
  text: string
  run(context: StoryContext): Promise<string>
}

/** Chooses among the items of the model by recorded numbers, so that stories are reproducible and shrink. */
export class Choices {
  readonly #numbers: readonly number[]
  #next = 0
  constructor(numbers: readonly number[]) {
    this.#numbers = numbers
  }

  #number(): number {
    return this.#numbers[this.#next++ % this.#numbers.length] as number
  }

  of<Item>(items: readonly Item[]): Item | undefined {
    return items[this.#number() % Math.max(1, items.length)]
  }

  oneIn(number: number): boolean {
    return this.#number() % number === 0
  }
}

/** Undefined when no account can take this action now. */
export type Action = (model: Model, choices: Choices) => Step | undefined

class StoryCommand implements fc.AsyncCommand<Model, Real> {
  readonly #action: Action
  readonly #numbers: number[]
  constructor(action: Action, numbers: number[]) {
    this.#action = action
    this.#numbers = numbers
  }

  check(model: Readonly<Model>): boolean {
    return this.#action(model as Model, new Choices(this.#numbers)) !== undefined
  }

  async run(model: Model, real: Real): Promise<void> {
    const step = this.#action(model, new Choices(this.#numbers)) as Step
    const context = new StoryContext(model, real)
    model.steps.push(step.text)
    const report = (more: string) => {
      model.steps[model.steps.length - 1] = `${step.text}: ${more}`
    }
    try {
      report(await step.run(context))
      await checkInvariants(context)
    } catch (error) {
      const { rule, message } =
        error instanceof RuleViolation ? error : { rule: 'expected answer', message: String(error) }
      throw new RuleViolation(rule, message, [...model.steps])
    }
  }

  toString = () => this.#action.name
}

const NUMBERS = 8

/** Shrinking removes steps; the choices within a step stay. */
export function commandOf(action: Action): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  const numbers = fc.array(fc.nat(10_000), { minLength: NUMBERS, maxLength: NUMBERS })
  return fc.noShrink(numbers).map((drawn) => new StoryCommand(action, drawn))
}

/** A status with its code. */
export const outcome = ({ status, body }: { status: number; body: { code?: string } }) =>
  body?.code ? `${status} ${body.code}` : String(status)
