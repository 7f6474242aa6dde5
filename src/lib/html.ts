/** Text that is HTML already, and may stand among HTML as it is. */
export class Html {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

type Part = string | number | Html | Part[]

/** A template that escapes whatever it is given, unless that came out of a template like this one. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((text, place) => text + sourceOf(parts[place] ?? '')).join(''))
}

function sourceOf(part: Part): string {
  if (part instanceof Html) return part.source
  if (Array.isArray(part)) return part.map(sourceOf).join('')
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
