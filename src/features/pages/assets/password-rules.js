/** The rules of the API's password policy that need no knowledge of the account, in the order in which they are shown. */
export const passwordRules = {
  length: (password) => [...password].length >= 8 && [...password].length <= 128,
  uppercase: (password) => /\p{Lu}/u.test(password),
  lowercase: (password) => /\p{Ll}/u.test(password),
  digit: (password) => /\p{Nd}/u.test(password),
}
