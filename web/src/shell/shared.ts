import { openConversation } from '../conversation/opened.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'

/** When nothing says that something was shared, it is looked for once there is time. */
const lookAfterMs = 3_000

/**
 * What another app has shared with this one stands in the box of a new chat; nothing is sent by itself. The service worker has kept it, and
 * it waits through signing in and without a connection. Called once, when the app is drawn.
 */
export function takeShared (): void {
  const query = new URLSearchParams(location.search)
  const outcome = query.get('shared')
  takeText(query)
  if (outcome !== null) history.replaceState(history.state, '', location.pathname)
  if (outcome === 'failed') toast(words.value.offline.shareFailed, { kind: 'bad' })
  setTimeout(() => {
    import('../offline/take-shared.js').then(({ takeKeptShares }) => takeKeptShares()).catch(console.warn)
  }, outcome === 'kept' ? 0 : lookAfterMs)
}

/** Apps that were installed by an earlier version share text by the address. */
function takeText (query: URLSearchParams): void {
  const parts = ['share_title', 'share_text', 'share_url'].map((name) => query.get(name)?.trim() ?? '')
  const text = [...new Set(parts)].filter((part) => part !== '').join('\n')
  if (text === '') return
  history.replaceState(history.state, '', location.pathname)
  openConversation(null).draft.giveBack(text)
}
