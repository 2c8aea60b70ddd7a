import { type chatFrames } from '../../../schemas/chat.js'
import { type Database } from '../../ground/database/index.js'
import { framesOf } from '../../ground/events/index.js'
import { type Chat } from '../chat/index.js'
import { type AttachedSessions } from './attached.js'
import { reason } from '../../../reasons/index.js'
import { toldBy } from '../../agent/protocol.js'

const frame = framesOf<typeof chatFrames>()

/** After turns of attached sessions, warns if the other program has written meanwhile, and imports what it wrote. */
export function attachedTurns (attached: AttachedSessions, turns: Pick<Chat['turns'], 'on'>, db: Pick<Database, 'enqueue'>): void {
  turns.on('answered', async ({ sessionId }) => {
    const name = await attached.wroteBeside(sessionId)
    return name === null
      ? null
      : () => [frame('warning', { type: 'terminal_wrote', ...toldBy(reason('terminal_wrote', { program: name })) })]
  })
  turns.on('ended', ({ sessionId }) => {
    if (!attached.has(sessionId)) return
    // An error is reported by the next message.
    db.enqueue({ write: () => {}, committed: () => { void attached.takeIn(sessionId).catch(() => {}) } })
  })
}
