import type { Values } from './icu.ts'

/** The texts of one area in one language: sentences, grouped by what they belong to. */
export interface Area {
  readonly [key: string]: string | Area
}

/** What another language has to say: the same keys, any words. */
export type Same<English> = {
  readonly [Key in keyof English]: English[Key] extends string ? string : Same<English[Key]>
}

/** What a page uses: a text without arguments is a string, one with arguments a function of them. */
export type Texts<English> = {
  readonly [Key in keyof English]: English[Key] extends string
    ? English[Key] extends `${string}{${string}`
      ? (values: Values) => string
      : string
    : Texts<English[Key]>
}
