/** The temporary password that was typed at sign-in, so that it is not asked for once more. Gone with the page. */
let typed = ''

export const temporaryPassword = {
  get: (): string => typed,
  keep(password: string): void {
    typed = password
  },
  forget(): void {
    typed = ''
  },
}
