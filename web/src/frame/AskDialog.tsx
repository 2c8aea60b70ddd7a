import { useEffect, useState } from 'preact/hooks'
import { visible, visibleText } from '../core/files/paths.js'
import { type Wire } from '../core/service/api.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { words } from '../words/index.js'

export type ViewChoice = 'once' | 'session' | 'deny'

/** What a view wants a person to allow: a call of a tool, or that an address is opened. */
export interface ViewAsk {
  /** Tells one from the next. */
  key: number
  what: { call: Extract<Wire<'McpViewCall'>, { state: 'asked' }> } | { url: string }
  server: string
  answer: (choice: ViewChoice) => void
}

/** A view says when it asks: a click that was meant for it must not be one on what comes up in its place. */
const readyAfterMs = 600

function titleOf (what: ViewAsk['what'], server: string): string {
  const w = words.value.markdown.view
  if (!('call' in what)) return w.asksLink(server)
  return what.call.tool === null ? w.asksResource(server) : w.asksTool(visible(what.call.tool), server)
}

/** `onStop`: the view is closed, which may ask again and again. */
export function AskDialog ({ ask: { what, server, answer }, onStop }: { ask: ViewAsk, onStop: () => void }) {
  const [isReady, setReady] = useState(false)
  const w = words.value.markdown.view
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), readyAfterMs)
    return () => clearTimeout(timer)
  }, [])
  const isCall = 'call' in what
  return (
    <Dialog
      open keep onClose={() => answer('deny')} size='small' title={titleOf(what, server)}
      actions={(
        <>
          <Button kind='quiet' onClick={onStop}>{w.close}</Button>
          <Button onClick={() => answer('deny')}>{w.deny}</Button>
          {isCall && what.call.may_last ? <Button disabled={!isReady} onClick={() => answer('session')}>{w.inChat}</Button> : null}
          <Button kind='primary' disabled={!isReady} onClick={() => answer('once')}>{isCall ? w.once : w.openLink}</Button>
        </>
      )}
    >
      <p>{w.fromView}</p>
      <pre class='call-text' tabIndex={0}>{visibleText(isCall ? JSON.stringify(what.call.arguments, null, 2) : what.url)}</pre>
    </Dialog>
  )
}
