import { type Approval } from '../core/conversation/prompts.js'
import { subjectOf, typed } from './describe.js'

type CommandPart = NonNullable<Approval['command_parts']>[number]

const deleting = new Set(['rm', 'rmdir', 'unlink'])

/** Returns the paths that known programs in a command are told to delete, without duplicates. Deletions by other programs are unknown. */
export function deletedBy (parts: readonly CommandPart[]): string[] {
  const targets = parts.filter(({ program }) => deleting.has(program.replace(/^.*\//, ''))).flatMap(({ args }) => {
    const end = args.indexOf('--')
    return args.filter((arg, at) => at !== end && ((end !== -1 && at > end) || !arg.startsWith('-')))
  })
  return [...new Set(targets)]
}

/** Whether the parsed parts tell more than the command itself: one of them does not occur in it literally, in order. */
export function sayMore (command: string, parts: readonly CommandPart[]): boolean {
  let at = 0
  return parts.some((part) => {
    const text = typed(part)
    const found = command.indexOf(text, at)
    at = found + text.length
    return found === -1
  })
}

/**
 * Returns the index at which the description begins to say more than the title and the content below it; its length if it says nothing
 * more. 0 if the service's summary is not recognised, so that the whole description is shown.
 */
export function newsAt (approval: Approval): number {
  const { description } = approval
  const end = summaryEnd(approval)
  if (end === -1 || end === description.length) return Math.max(end, 0)
  const [gap] = /^\.? (?=\S)/.exec(description.slice(end)) ?? []
  // After a summary that already ends a sentence there is no other full stop.
  return gap === undefined || (gap === ' ' && !/[.!?…]/.test(description.charAt(end - 1))) ? 0 : end + gap.length
}

function summaryEnd (approval: Approval): number {
  const { description, command, request } = approval
  const subject = subjectOf(approval)
  const begins = (text: string): number => description.startsWith(text) ? text.length : -1
  switch (subject.kind) {
    case 'command': {
      const summary = `: ${oneLine(command)}`
      const at = description.indexOf(summary)
      return at !== -1 && /^Run a command(?: in [^\n]{1,100})?$/.test(description.slice(0, at)) ? at + summary.length : -1
    }
    case 'create': case 'edit': case 'write': return begins(`Write ${oneLine(subject.file)}`)
    case 'request': return request === undefined ? -1 : begins(`Fetch ${oneLine(`${request.scheme}://${request.host}${request.path}`)}`)
    default: return -1
  }
}

const summaryChars = 300

/** Shortens a text as the service does in the summary; if the service does it differently, the summary is not recognised. */
function oneLine (text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= summaryChars ? line : `${line.slice(0, summaryChars - 1)}…`
}
