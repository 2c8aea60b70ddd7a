import { api } from '../app.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'

export interface Deferred {
  act: () => Promise<unknown>
  /** Called if the page is left before the offer expires: sends the change by a request that outlives the page. */
  atLeave: () => void
  /** Called when the person picks Undo. */
  undone?: () => void
  /** Called when the action is done or was undone. */
  end: () => void
}

/** Reports that an action is done, and runs it once the offer to undo, or the page, is gone. Returns a function that undoes it. */
export function unlessTakenBack (said: string, { act, atLeave, undone, end }: Deferred): () => void {
  /** Whether the action was undone, or sent as the page was left. */
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
    // The browser may restore the page in the state in which it was left.
    removeOffer()
  }
  addEventListener('pagehide', leave)
  const removeOffer = toast(said, {
    action: {
      text: words.value.common.undo,
      onPick: () => {
        isOver = true
        undone?.()
      }
    },
    onGone: () => { void finish() }
  })
  return () => {
    isOver = true
    removeOffer()
  }
}

/** Sends a change that outlives the page. */
export function sendLast (path: string, body: object): void {
  fetch(api.url(path), {
    method: 'POST', keepalive: true, headers: { 'content-type': 'application/json', ...api.tokenHeaders }, body: JSON.stringify(body)
  }).catch(() => {})
}
