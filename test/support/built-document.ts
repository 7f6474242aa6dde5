import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { OpenApiDocument } from '../../src/http/openapi/document.ts'

const known = new Map<string, Promise<object>>()

/**
 * The OpenAPI document of an app. It depends on nothing but the code and the name of the brand, and building it takes a tenth of
 * the time of a short test file, so the first process of a run leaves it in TEST_DOCUMENTS for the others.
 */
export function builtDocument(document: OpenApiDocument, brandName: string): Promise<object> {
  const built = known.get(brandName) ?? readOrBuild(document, brandName)
  known.set(brandName, built)
  return built
}

async function readOrBuild(document: OpenApiDocument, brandName: string): Promise<object> {
  const folder = process.env.TEST_DOCUMENTS
  if (!folder) return document.build()
  const file = path.join(folder, `${encodeURIComponent(brandName)}.json`)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const built = await document.build()
  // Renamed, because others read it at any moment.
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, JSON.stringify(built))
  renameSync(unfinished, file)
  return built
}
