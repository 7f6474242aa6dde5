/** The rules of the service's password policy that need no knowledge of the account, in the order in which they are shown. */
export const passwordRules = {
  length: (password: string) => [...password].length >= 8 && [...password].length <= 128,
  uppercase: (password: string) => /\p{Lu}/u.test(password),
  lowercase: (password: string) => /\p{Ll}/u.test(password),
  digit: (password: string) => /\p{Nd}/u.test(password),
}

export const isGoodPassword = (password: string): boolean =>
  Object.values(passwordRules).every((rule) => rule(password))

/** Only what is surely none; the service has the last word. */
export const isEmail = (text: string): boolean => /^\S+@\S+\.\S+$/.test(text.trim())
