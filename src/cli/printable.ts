/**
 * Text for a terminal. Names come from people, reasons from other servers, and both from a database that may have been
 * changed by hand: a terminal must not take them for commands.
 */
export const printable = (text: string): string => text.replace(/[^\P{C}\n]/gu, '?')

/** The same for JSON, in which only the first 32 control characters are always escaped. */
export const printableJson = (value: object, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
