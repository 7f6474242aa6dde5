import type { z } from 'zod'
import { DEFAULT_NAME } from '../../brand/brand.ts'
import type { AnyDeclaration, Operation } from '../route-definition.ts'
import type { Json } from './components.ts'

/**
 * The OpenAPI 3.1 document, made from the declarations that validate requests and write answers. Until it is built, which
 * production never asks for, it only lists them.
 */
export class OpenApiDocument {
  /** The product's name. */
  readonly #title: string
  readonly #operations: Operation[] = []
  #built: Promise<Json> | undefined

  constructor(title: string = DEFAULT_NAME) {
    this.#title = title
  }

  add(method: string, url: string, declaration: AnyDeclaration, responseSchema: z.ZodType): void {
    this.#operations.push({ method, url, declaration, responseSchema })
  }

  /** The document of all operations that were added before the first call. */
  build(): Promise<Json> {
    this.#built ??= this.#describe()
    return this.#built
  }

  async #describe(): Promise<Json> {
    const { describeService } = await import('./service.ts')
    return describeService(this.#title, this.#operations)
  }
}
