import { openConversation } from '../conversation/open-chat.js'
import { idle } from '../ui/idle.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'

/**
 * Puts content that another app has shared into the message box of a new chat; nothing is sent automatically. The service worker stores a
 * share, so that it survives a sign-in and a missing connection. Called once, when the app is drawn.
 */
export function takeShared (): void {
  const query = new URLSearchParams(location.search)
  const outcome = query.get('shared')
  takeText(query)
  if (outcome !== null) history.replaceState(history.state, '', location.pathname)
  if (outcome === 'failed') toast(words.value.offline.shareFailed, { kind: 'bad' })
  // Without a report, shares of another window or an earlier sign-in may wait.
  void (outcome === 'kept' ? Promise.resolve() : idle).then(async () => await (await import('../offline/take-shared.js')).takeKeptShares())
    .catch(console.warn)
}

/** Takes text that was shared in the address, by apps that were installed from an earlier version. */
function takeText (query: URLSearchParams): void {
  const parts = ['share_title', 'share_text', 'share_url'].map((name) => query.get(name)?.trim() ?? '')
  const text = [...new Set(parts)].filter((part) => part !== '').join('\n')
  if (text === '') return
  history.replaceState(history.state, '', location.pathname)
  openConversation(null).draft.giveBack(text)
}
