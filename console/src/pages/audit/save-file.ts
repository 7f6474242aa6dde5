/** As the browser saves a download: it has the bytes already, so no token is in any address. */
export function saveFile(name: string, file: Blob): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The download has begun by then; the bytes are freed when it is done.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
