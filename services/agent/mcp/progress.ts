import { shown } from './definitions.js'

/** What a server says of how far it has come with a call. */
export interface Progress { progress: number, total?: number | undefined, message?: string | undefined }

const longestMessage = 300

/** The news as a terminal would show it: what has a message is a line, a mere number takes the place of the one before. */
export function progressLine ({ progress, total, message }: Progress): Buffer {
  const share = total !== undefined && total > 0 ? `${Math.round(progress / total * 100)} %` : `${progress}`
  const words = message === undefined ? '' : shown(message.replace(/\s+/g, ' ').trim(), longestMessage)
  return Buffer.from(words === '' ? `\r\u001b[K${share}` : `\r\u001b[K${share.padStart(5)}  ${words}\n`)
}
