import { useSignal } from '@preact/signals'
import { api } from '../app.js'
import { readResult } from '../core/session-pages.js'
import { type CallPart } from '../core/turn.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { LazyDiff } from '../ui/LazyDiff.js'
import { words } from '../words/index.js'
import { opened } from './opened.js'

const changes = new Set(['edit_file', 'write_file'])
const diffStart = /^--- \S/m

/** What came of a call. Of a long result a page has the beginning; the rest is fetched when it is asked for. */
export function CallResult ({ call, hasDiff }: { call: CallPart, hasDiff: boolean }) {
  const whole = useSignal<string | null>(null)
  const isBusy = useSignal(false)
  const w = words.value.conversation
  if (call.result === null) return null
  const text = whole.value ?? call.result
  const at = changes.has(call.name) && !hasDiff ? text.search(diffStart) : -1
  const isCut = call.resultTruncated && whole.value === null
  const showAll = async (): Promise<void> => {
    const id = opened.peek()?.conversation.sessionId.peek()
    if (id == null) return
    isBusy.value = true
    await attempt(async () => { whole.value = await readResult(api, id, call.id) ?? call.result })
    isBusy.value = false
  }
  return (
    <section aria-label={w.call.result}>
      {at === -1
        ? <pre class='call-text' tabIndex={0}>{text}</pre>
        : <>{at === 0 ? null : <pre class='call-text'>{text.slice(0, at).trimEnd()}</pre>}<LazyDiff diff={text.slice(at)} truncated={isCut} /></>}
      {isCut ? <p class='exchange-event'>{w.call.truncated} <Button size='small' busy={isBusy.value} onClick={() => { void showAll() }}>{w.call.showAll}</Button></p> : null}
    </section>
  )
}
