import { openChat } from '../conversation/open-chat.js'
import { pathThere } from '../core/machines/location.js'
import { filesWritten, mayHaveWrittenMore } from '../core/turn/turn-files.js'
import { type WrittenFiles } from './sections.js'

/** Returns the files that a chat has written, according to its loaded turns; none if it is not open in this window. A reactive read. */
export function filesWrittenIn (sessionId: string): WrittenFiles {
  const conversation = openChat.value?.conversation
  if (conversation === undefined || conversation.sessionId.value !== sessionId) return { paths: new Set(), isComplete: false }
  const workspace = pathThere(conversation.session.value?.workspace ?? '')
  const turns = conversation.transcript.exchanges.value.map((exchange) => {
    // In a running turn, this summary changes with each new file.
    void exchange.work.value
    return exchange.turn
  })
  return {
    paths: new Set(turns.flatMap(({ parts }) => filesWritten(parts, workspace))),
    isComplete: !conversation.transcript.hasEarlier.value && !turns.some(mayHaveWrittenMore)
  }
}
