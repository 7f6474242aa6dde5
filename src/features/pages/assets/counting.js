/** Formats a number with the plural form of a language; `#` stands for the number. */
export function counted(language, forms) {
  const rules = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  return (count) => forms[rules.select(count)].replace('#', numbers.format(count))
}
