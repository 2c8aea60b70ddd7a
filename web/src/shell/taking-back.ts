import { api } from '../app.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'

export interface Deferred {
  act: () => Promise<unknown>
  /** The page goes before the offer: what is left is sent with its last breath. */
  atLeave: () => void
  /** It is done, or was taken back. */
  end: () => void
}

/** Says that something is done, and does it once the offer to take that back is gone, or the page. */
export function unlessTakenBack (said: string, { act, atLeave, end }: Deferred): void {
  /** Taken back, or sent with the last breath of the page. */
  let isOver = false
  const finish = async (): Promise<void> => {
    if (!isOver) await act()
    removeEventListener('pagehide', leave)
    end()
  }
  const leave = (): void => {
    if (isOver) return
    isOver = true
    atLeave()
    // The page may come back as it was left.
    removeOffer()
  }
  addEventListener('pagehide', leave)
  const removeOffer = toast(said, {
    action: { text: words.value.common.undo, onPick: () => { isOver = true } },
    onGone: () => { void finish() }
  })
}

/** Sends a change that outlives the page. */
export function sendLast (path: string, body: object): void {
  fetch(api.url(path), {
    method: 'POST', keepalive: true, headers: { 'content-type': 'application/json', ...api.tokenHeaders }, body: JSON.stringify(body)
  }).catch(() => {})
}
