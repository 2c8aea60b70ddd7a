import { redactDeep } from '../ground/redaction/index.js'
import { type SessionRow, type SessionWire } from './rows.js'
import { type Transcript } from './transcript.js'

/** The version of what an export holds. */
export const exportFormat = 1

/** A session as one JSON document that can be imported again. Credentials are masked when `masked` is set. */
export function exportJson ({ row, wire, transcript, masked }: { row: SessionRow, wire: SessionWire, transcript: Transcript, masked: boolean }): Record<string, unknown> {
  const variant = masked ? 'masked' : 'plain'
  const { toolCalls } = transcript.whole(row.id, row.messageCount, variant)
  const document = {
    format: exportFormat,
    ...wire,
    compression_summary: row.compressionSummary,
    compressed_before: row.compressedBefore,
    messages: [...transcript.messages(row.id, variant)],
    tool_calls: JSON.parse(`[${toolCalls.toString()}]`) as unknown[],
    // What the model is shown for each message: without it an import would have to make that up.
    context_messages: transcript.replays(row.id).map((text) => text === null ? null : JSON.parse(text) as unknown)
  }
  return masked ? redactDeep(document) : document
}
