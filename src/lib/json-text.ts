/**
 * The JSON of a value, as PostgreSQL has written it: a response contains it as it is, without parsing. The route's schema
 * still documents the value, and in tests every such text is compared with what the schema's own serializer writes.
 */
export class JsonText<Value> {
  readonly text: string
  /** For the compiler alone, which tells texts of different values apart by it. */
  declare readonly value: Value

  constructor(text: string) {
    this.text = text
  }

  /** Serialized as a value it would silently become another one. */
  toJSON(): never {
    throw new Error('A JSON text can only be sent')
  }
}
