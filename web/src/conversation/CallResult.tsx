import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { api } from '../app.js'
import { readResult } from '../core/conversation/whole-result.js'
import { hasControls } from '../core/screen/terminal-signs.js'
import { type CallPart } from '../core/turn/turn.js'
import { diffInResult } from '../core/turn/turn-changes.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { lazy } from '../ui/lazy.js'
import { words } from '../words/index.js'
import { LazyOutput } from './LazyOutput.js'
import { openChat } from './open-chat.js'

/** Loads the view of diffs, and the code for comments on them, with the first diff. */
export const CallDifference = lazy(async () => (await import('./CallDifference.js')).CallDifference)

/** Returns the file that a call changes, as the call names it; null if it names none. */
export function changedBy ({ foresight, args }: CallPart): string | null {
  return foresight?.file ?? (typeof args.path === 'string' ? args.path : null)
}

const changes = new Set(['edit_file', 'write_file'])

/**
 * Shows the result of a call. A page has the beginning of a long one; the rest is fetched on demand, or if `isWatched`: the reader followed
 * the output to its end.
 */
export function CallResult ({ call, hasDiff, isWatched }: { call: CallPart, hasDiff: boolean, isWatched: boolean }) {
  const whole = useSignal<string | null>(null)
  const isBusy = useSignal(false)
  const view = useRef<HTMLPreElement>(null)
  const w = words.value.conversation
  const { result } = call
  const text = whole.value ?? result
  const isCut = call.resultTruncated && whole.value === null
  const showAll = async (): Promise<void> => {
    const id = openChat.peek()?.conversation.sessionId.peek()
    if (id == null) return
    isBusy.value = true
    await attempt(async () => { whole.value = await readResult(api, id, call.id) ?? result })
    isBusy.value = false
  }
  const isOver = result !== null
  useEffect(() => { if (isWatched && isOver && isCut) void showAll() }, [isWatched, isOver])
  useLayoutEffect(() => { if (isWatched && view.current !== null) view.current.scrollTop = view.current.scrollHeight }, [isWatched, text])
  if (text === null) return null
  const found = changes.has(call.name) && !hasDiff ? diffInResult(text) : null
  return (
    <section aria-label={w.call.result}>
      {found !== null
        ? (
          <>
            {found.before === '' ? null : <pre class='call-text'>{found.before}</pre>}
            <CallDifference diff={found.diff} truncated={isCut || found.isCut} file={changedBy(call)} call={call.id} />
          </>
          )
        : hasControls(text)
          ? <LazyOutput output={{ head: text, leftOutBytes: 0, tail: '' }} label={w.call.result} />
          : <pre ref={view} class='call-text' tabIndex={0}>{text}</pre>}
      {isCut
        ? (
          <p class='exchange-event'>
            {w.call.truncated} <Button size='small' busy={isBusy.value} onClick={() => { void showAll() }}>{w.call.showAll}</Button>
          </p>
          )
        : null}
    </section>
  )
}
