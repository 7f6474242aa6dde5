import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Starts a mail server that accepts every message and keeps none. Returns its address for SMTP_URL. */
export async function startSmtp(): Promise<string> {
  const server = createServer((socket) => {
    let isData = false
    let text = ''
    socket.on('error', () => {})
    socket.write('220 bench ESMTP\r\n')
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      for (;;) {
        const end = text.indexOf(isData ? '\r\n.\r\n' : '\r\n')
        if (end < 0) return
        const line = isData ? '' : text.slice(0, end).toUpperCase()
        text = text.slice(end + (isData ? 5 : 2))
        isData = !isData && line === 'DATA'
        socket.write(isData ? '354 go on\r\n' : line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n')
      }
    })
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
}
