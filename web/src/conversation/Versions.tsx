import { navigate } from 'wouter-preact/use-browser-location'
import { api } from '../app.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { ApiError } from '../core/service/api.js'
import { places } from '../shell/places.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { ChevronLeft, ChevronRight } from '../ui/icons.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'
import { arriveAt } from './versions.js'

/**
 * Pages through the versions of an answer, by the index of its message. Each is in a session of its own, which replaces this one on the
 * screen.
 */
export function Versions ({ conversation, sessionId, index, isLast }: {
  conversation: Conversation
  sessionId: string
  index: number | null
  isLast: boolean
}) {
  const w = words.value.conversation
  const versions = conversation.session.value?.versions?.find((one) => one.index === index)?.session_ids ?? []
  const at = versions.indexOf(sessionId)
  if (index === null || at === -1) return null
  const show = async (id: string): Promise<void> => {
    try {
      await api.get('/api/session/status', { session_id: id })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error
      toast(w.versionGone)
      return await conversation.reload()
    }
    // A chat opens at its end anyway.
    if (!isLast) arriveAt(id, index)
    navigate(places.session(id), { replace: true })
  }
  const step = (by: 1 | -1) => {
    const to = versions[at + by]
    return (
      <Button
        kind='quiet' size='small' icon={by === 1 ? ChevronRight : ChevronLeft} label={by === 1 ? w.laterVersion : w.earlierVersion}
        disabled={to === undefined} onClick={() => { if (to !== undefined) void attempt(() => show(to)) }}
      />
    )
  }
  return (
    <span class='versions' role='group' aria-label={w.versions}>
      {step(-1)}
      <span class='versions-at'>{at + 1} / {versions.length}</span>
      {step(1)}
    </span>
  )
}
