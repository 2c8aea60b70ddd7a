import { beginningOf } from '../../ground/redaction/index.js'

/** Shortens a text to one line of at most `max` characters, for tool cards and approval cards. */
export function oneLine (text: string, max = 120): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= max ? line : `${beginningOf(line, max - 1)}…`
}

export const plural = (count: number, noun: string): string => `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`

// eslint-disable-next-line no-control-regex -- control characters are what this is about
const escapes = /[\u001b\u009b](?:\[[0-?]*[ -/]*[@-~]?|[\]P^_X][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~]?)/g
// eslint-disable-next-line no-control-regex -- see above
const otherControls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/**
 * Converts terminal output to plain text: removes escape sequences, and keeps only the last state of a line that was overwritten with
 * carriage returns (a progress bar). NUL, which separates the variables of an environment, ends a line. Takes linear time, whatever the
 * program printed.
 */
export function plainOutput (text: string): string {
  return text.replaceAll('\0', '\n').replace(escapes, '').split('\n').map((line) => {
    const kept = line.endsWith('\r') ? line.slice(0, -1) : line
    return kept.slice(kept.lastIndexOf('\r') + 1)
  }).join('\n').replace(otherControls, '')
}
