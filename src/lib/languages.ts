/** The languages of what people read, by their BCP 47 tags. */
export const languages = ['en', 'es', 'pt'] as const

export type LanguageTag = (typeof languages)[number]

/** For whoever wants none that we have. */
export const ELSE: LanguageTag = 'en'
