import { openConversation } from '../conversation/opened.js'

/** What another app has shared with this one stands in the box of a new chat; nothing is sent by itself. Called once, before anything is drawn. */
export function takeShared (): void {
  const query = new URLSearchParams(location.search)
  const parts = ['share_title', 'share_text', 'share_url'].map((name) => query.get(name)?.trim() ?? '')
  const text = [...new Set(parts)].filter((part) => part !== '').join('\n')
  if (text === '') return
  history.replaceState(history.state, '', location.pathname)
  openConversation(null).draft.giveBack(text)
}
