/** Somebody with a mailbox, or with none. What they want is told by the name alone: all of them can do everything. */
export interface Person {
  name: string
  /** The addresses whose mailbox they read. */
  addresses: string[]
}

/** Founds the first company, and makes accounts for other people. */
export const ann: Person = { name: 'Ann', addresses: ['ann@example.com'] }
/** Administers another company. */
export const eve: Person = { name: 'Eve', addresses: ['eve@example.com'] }
/** Owns the addresses that others are after. */
export const bob: Person = { name: 'Bob', addresses: ['bob@example.com', 'bob.new@example.com'] }
/** Registers addresses that are not his. */
export const sam: Person = { name: 'Sam', addresses: ['sam@example.com', 'sam.new@example.com'] }

export const people = [ann, eve, bob, sam]
export const allAddresses = people.flatMap(({ addresses }) => addresses)

export const mailboxOwner = (address: string): Person =>
  people.find(({ addresses }) => addresses.includes(address)) as Person
