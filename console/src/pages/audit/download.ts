import { saveFile } from './save-file.ts'

/**
 * Saves a streamed answer under the name that it brings. The token is in a header, which a plain link can’t send; the
 * browser keeps large blobs on its disk.
 */
export async function download(response: Response, onBytes: (bytes: number) => void): Promise<string> {
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'audit.txt'
  const counted = response.body?.pipeThrough(counting(onBytes))
  const file = await new Response(counted, { headers: { 'content-type': typeOf(response) } }).blob()
  saveFile(name, file)
  return name
}

const typeOf = ({ headers }: Response) => headers.get('content-type') ?? 'application/octet-stream'

function counting(onBytes: (bytes: number) => void) {
  let bytes = 0
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      onBytes(bytes)
      controller.enqueue(chunk)
    },
  })
}
