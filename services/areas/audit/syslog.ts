import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import { connect as connectTls } from 'node:tls'
import { type AuditRow } from './chain.js'
import { type SyslogServer } from './syslog-server.js'
import { entryToWire } from './wire.js'

/** Facility 13 of RFC 5424 is "log audit"; severity 5 is a notice, 4 a warning. */
const priorityOf = ({ outcome }: AuditRow): number => 13 * 8 + (outcome === 'ok' ? 5 : 4)
const timeoutMs = 10_000
/** How long a server may keep a connection open after everything has been sent. */
const closingMs = 2_000

/** Formats an entry as a message of RFC 5424: its kind is the MSGID, and the text is the entry as JSON. */
function syslogMessage (row: AuditRow): string {
  const at = new Date(row.at * 1_000).toISOString()
  return `<${priorityOf(row)}>1 ${at} ${hostname()} agent-web-service ${process.pid} ${row.kind.slice(0, 32)} - ${entryToWire(row)}`
}

/**
 * Sends entries to a syslog server, in order. Over TCP and TLS they count as sent when the server has closed the connection in an orderly
 * way, or has accepted all of them; over UDP when the system has sent them. Rejects if that fails.
 */
export async function sendToSyslog ({ transport, host, port }: SyslogServer, rows: AuditRow[], signal: AbortSignal): Promise<void> {
  const messages = rows.map((row) => Buffer.from(syslogMessage(row)))
  if (transport === 'udp') return await sendDatagrams(host, port, messages)
  // Octet counting, RFC 6587 and 5425: each message is preceded by its length.
  const stream = Buffer.concat(messages.flatMap((message) => [Buffer.from(`${message.length} `), message]))
  const socket = transport === 'tls' ? connectTls({ host, port, servername: host }) : connect({ host, port })
  const giveUp = (): void => { socket.destroy(new Error('the service stops')) }
  signal.addEventListener('abort', giveUp, { once: true })
  const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`)), timeoutMs)
  try {
    await once(socket, transport === 'tls' ? 'secureConnect' : 'connect')
    const closed = once(socket.resume(), 'close')
    socket.once('finish', () => setTimeout(() => socket.destroy(), closingMs).unref())
    socket.end(stream)
    await closed
    if (socket.bytesWritten < stream.length) throw new Error('the connection was closed early')
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
    socket.destroy()
  }
}

async function sendDatagrams (host: string, port: number, messages: Buffer[]): Promise<void> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  try {
    for (const message of messages) {
      await new Promise<void>((resolve, reject) => socket.send(message, port, host, (error) => error === null ? resolve() : reject(error)))
    }
  } finally {
    socket.close()
  }
}
