import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Nonce, tag, ciphertext (AES-256-GCM, NIST SP 800-38D); bound to the row that it stands in by the row's id. */
export function encrypt(key: Buffer, rowId: Buffer, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(rowId)
  const hidden = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), hidden])
}

/** Throws when the text was encrypted by another key or for another row, or was changed. */
export function decrypt(key: Buffer, rowId: Buffer, kept: Buffer): string {
  const nonce = kept.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(rowId)
  decipher.setAuthTag(kept.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(kept.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString()
}
