import { type Foresight } from '../agent/protocol.js'
import { redact, redactPieces } from '../ground/redaction/index.js'

/** Less than a run hands over, so that nothing at the cut is left that masking would have known whole. */
const shownDiffChars = 12_000

export type ForesightWire = ReturnType<typeof foresightToWire>

/** What a call would do, with credentials masked: those that only this process knows as well. */
export function masked ({ change, command, request }: Foresight): Foresight {
  return {
    ...(change === undefined ? {} : { change: 'diff' in change ? { ...change, diff: redact(change.diff) } : { ...change, note: redact(change.note) } }),
    ...(command === undefined ? {} : { command: { ...command, parts: command.parts.map(maskedPart) } }),
    ...(request === undefined ? {} : { request: { ...request, path: maskedPath(request) } })
  }
}

/** The keys that say so, in approvals and in the frames of calls. */
export function foresightToWire (foresight: Foresight | undefined) {
  if (foresight === undefined) return {}
  const { change, command, request } = masked(foresight)
  return {
    ...(change === undefined ? {} : { file: change.path }),
    ...(change !== undefined && 'diff' in change ? { diff: change.diff.slice(0, shownDiffChars).replace(/[\uD800-\uDBFF]$/, ''), diff_truncated: change.isCut || change.diff.length > shownDiffChars } : {}),
    ...(change !== undefined && 'note' in change ? { diff_note: change.note } : {}),
    ...(command === undefined ? {} : { command_parts: command.parts, command_parts_truncated: command.isCut, folder: command.folder, sandboxed: command.isConfined }),
    ...(request === undefined ? {} : { request })
  }
}

function maskedPart ({ program, args }: { program: string, args: string[] }): { program: string, args: string[] } {
  const [shown = '', ...rest] = redactPieces([program, ...args], ' ')
  return { program: shown, args: rest }
}

/** A value in a query is known by its address. */
function maskedPath ({ scheme, host, path }: NonNullable<Foresight['request']>): string {
  return redactPieces([`${scheme}://${host}`, path], '')[1] ?? ''
}
