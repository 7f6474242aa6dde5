import { randomBytes } from 'node:crypto'

/** The company or account that a canary belongs to. A canary in a wrong answer proves a leak of its data. */
export interface Owner {
  companyId?: string
  accountId?: string
}

const CANARY = /zq[a-p]{14}/g
const FRAGMENT_LENGTH = 8

/** Unique words that are placed into all data of a company or an account. */
export class Canaries {
  readonly #owners = new Map<string, Owner>()

  create(owner: Owner): string {
    const word = freshWord()
    this.#owners.set(word, owner)
    return word
  }

  /** For a word that was used before its owner had an id. */
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

  /** Parts of canaries to search for, too short to count as canaries themselves. */
  fragments(): string[] {
    return [...this.#owners.keys()].map((word) => word.slice(0, FRAGMENT_LENGTH))
  }
}

/** Made of characters that stay the same in slugs, in folded names and in lower case. */
export const freshWord = () =>
  `zq${randomBytes(7)
    .toString('hex')
    .replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)))}`
