/** A person of the stories. All of them use every action; their names only help to read a story. */
export interface Person {
  name: string
  /** The addresses whose mailboxes this person reads. */
  addresses: string[]
}

/** Creates the first company, and adds other people. */
export const ann: Person = { name: 'Ann', addresses: ['ann@example.com'] }
/** Administers another company. */
export const eve: Person = { name: 'Eve', addresses: ['eve@example.com'] }
/** Owns the addresses that other people try to take over. */
export const bob: Person = { name: 'Bob', addresses: ['bob@example.com', 'bob.new@example.com'] }
/** Registers addresses of other people. */
export const sam: Person = { name: 'Sam', addresses: ['sam@example.com', 'sam.new@example.com'] }

export const people = [ann, eve, bob, sam]
export const allAddresses = people.flatMap(({ addresses }) => addresses)

export const mailboxOwner = (address: string): Person =>
  people.find(({ addresses }) => addresses.includes(address)) as Person
