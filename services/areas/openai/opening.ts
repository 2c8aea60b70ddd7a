import { provisionalTitle } from '../chat/index.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { encodeAhead, jsonBytes } from '../../ground/text/json-ahead.js'
import { type Workers } from '../../ground/workers/index.js'
import { readImportBody, type NewSession, type SessionRow, type Sessions } from '../sessions/index.js'
import { withInstructions, type ConversationInput } from './conversation-input.js'
import { type Entry } from './entries.js'
import { type InputImage } from './images.js'
import { noneWaits } from './waiting-calls.js'

export interface OpeningOptions {
  sessions: Pick<Sessions, 'create' | 'bringIn'>
  clock: Clock
  workers: Workers
}

const imageMark = '[An image belongs here.]'

/**
 * Opens a session that begins with the earlier conversation. Returns it with the images that are still to be shown. Throws RequestRefused
 * for results without a conversation before them.
 */
export async function openSession (
  { sessions, clock, workers }: OpeningOptions, input: ConversationInput, newSession: NewSession
): Promise<{ session: SessionRow, images: readonly InputImage[] }> {
  const { before, outputs, path } = input
  if (before.length === 0) {
    const [output] = outputs
    if (output !== undefined) throw noneWaits(output.callId, 'here', path)
    return { session: await sessions.create(newSession), images: input.images }
  }
  const last = before.findLastIndex(({ role }) => role === 'user')
  const messages = [...before, ...outputs.map((output): Entry => ({ role: 'tool', output }))].map((entry, index) =>
    // Without a new message, the program's instructions go with the message that is answered.
    toImport(entry.role === 'user' && index === last && input.message === ''
      ? { ...entry, text: withInstructions({ instructions: input.instructions, message: entry.text }) }
      : entry))
  await encodeAhead(messages.flatMap(({ content }) => typeof content === 'string' ? [content] : []))
  const { pieces } = await readImportBody({ bytes: Buffer.from(jsonBytes({ messages })), nowS: epochSeconds(clock) }, workers)
  const first = before.find(({ role }) => role === 'user')
  const title = provisionalTitle(first?.role === 'user' ? first.text : input.message)
  // Earlier images have no message of their own any more: the model sees them with this one.
  const earlier = before.flatMap((entry) => entry.role === 'user' ? entry.images : [])
  return {
    session: await sessions.bringIn({ ...newSession, title, pinned: false }, pieces, () => {}),
    images: input.message === '' && input.images.length === 0 ? [] : [...earlier, ...input.images]
  }
}

/** A message in the form that imports take. */
function toImport (entry: Entry): Record<string, unknown> {
  switch (entry.role) {
    case 'user': return { role: entry.role, content: [entry.text, ...entry.images.map(() => imageMark)].filter((text) => text !== '').join('\n') }
    case 'assistant': return {
      role: entry.role, content: entry.text,
      ...(entry.calls.length === 0
        ? {}
        : { tool_calls: entry.calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } })) })
    }
    case 'tool': return { role: entry.role, tool_call_id: entry.output.callId, content: entry.output.text }
  }
}
