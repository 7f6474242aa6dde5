import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

export interface ReceivedEmail {
  recipient: string
  messageId: string
  atMs: number
}

/** A mail server that keeps what it has accepted. */
export interface SmtpReceiver {
  port: number
  /** Accepted after DATA, so its sender may count it as sent. */
  received: ReceivedEmail[]
  /** When set, it ends the connection instead of answering DATA, after it has kept the email. */
  diesAfterData: boolean
  close(): Promise<void>
}

export async function startSmtpReceiver(): Promise<SmtpReceiver> {
  const receiver: SmtpReceiver = {
    port: 0,
    received: [],
    diesAfterData: false,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  const keep = ({ envelope }: SMTPServerSession, source: string) => {
    const messageId = /^message-id: (.*)$/im.exec(source)?.[1]?.trim() ?? ''
    for (const { address } of envelope.rcptTo)
      receiver.received.push({ recipient: address, messageId, atMs: performance.now() })
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100,
    onData(stream, session, answer) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        keep(session, Buffer.concat(chunks).toString('latin1'))
        if (receiver.diesAfterData) endConnections(server)
        else answer()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.port = (server.server.address() as AddressInfo).port
  return receiver
}

function endConnections(server: SMTPServer): void {
  for (const connection of (server as unknown as { connections: Set<{ _socket: { destroy(): void } }> }).connections)
    connection._socket.destroy()
}
