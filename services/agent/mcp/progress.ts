import { displayText } from './definitions.js'

/** A server's report on the progress of a call. */
export interface Progress { progress: number, total?: number | undefined, message?: string | undefined }

const longestMessage = 300

/** Returns progress as terminal output: a report with a message is a line of its own, a mere number overwrites the one before. */
export function progressLine ({ progress, total, message }: Progress): Buffer {
  const share = total !== undefined && total > 0 ? `${Math.round(progress / total * 100)} %` : `${progress}`
  const words = message === undefined ? '' : displayText(message.replace(/\s+/g, ' ').trim(), longestMessage)
  return Buffer.from(words === '' ? `\r\u001b[K${share}` : `\r\u001b[K${share.padStart(5)}  ${words}\n`)
}
