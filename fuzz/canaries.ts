import { randomBytes } from 'node:crypto'

/** Whose a canary is: the sight of it tells that something of a company or of an account got out. */
export interface Owner {
  companyId?: string
  accountId?: string
}

const CANARY = /zq[a-p]{14}/g
const FRAGMENT_LENGTH = 8

/** Words that nobody else writes, hidden in everything that a company or a person would call their own. */
export class Canaries {
  readonly #owners = new Map<string, Owner>()

  create(owner: Owner): string {
    const word = freshWord()
    this.#owners.set(word, owner)
    return word
  }

  /** For a word that was needed before its owner had an id. */
  register(word: string, owner: Owner): void {
    this.#owners.set(word, owner)
  }

  in(text: string): [word: string, owner: Owner][] {
    const words = new Set(text.toLowerCase().match(CANARY))
    return [...words].flatMap((word) => {
      const owner = this.#owners.get(word)
      return owner ? [[word, owner] as [string, Owner]] : []
    })
  }

  /** Enough to search for a canary, too little to be taken for one. */
  fragments(): string[] {
    return [...this.#owners.keys()].map((word) => word.slice(0, FRAGMENT_LENGTH))
  }
}

/** Of letters that stay the same in a slug, in a folded name, in any letter case. */
export const freshWord = () =>
  `zq${randomBytes(7)
    .toString('hex')
    .replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)))}`
