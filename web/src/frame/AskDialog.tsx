import { visible, visibleText } from '../core/files/paths.js'
import { type Wire } from '../core/service/api.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { words } from '../words/index.js'

export type ViewChoice = 'once' | 'session' | 'deny'

/** What a view wants a person to allow: a call of a tool, or that an address is opened. */
export interface ViewAsk {
  what: { call: Extract<Wire<'McpViewCall'>, { state: 'asked' }> } | { url: string }
  server: string
  answer: (choice: ViewChoice) => void
}

function titleOf (what: ViewAsk['what'], server: string): string {
  const w = words.value.markdown.view
  if (!('call' in what)) return w.asksLink(server)
  return what.call.tool === null ? w.asksResource(server) : w.asksTool(visible(what.call.tool), server)
}

export function AskDialog ({ ask: { what, server, answer } }: { ask: ViewAsk }) {
  const w = words.value.markdown.view
  const isCall = 'call' in what
  return (
    <Dialog
      open keep onClose={() => answer('deny')} size='small' title={titleOf(what, server)}
      actions={(
        <>
          <Button onClick={() => answer('deny')}>{w.deny}</Button>
          {isCall && what.call.may_last ? <Button onClick={() => answer('session')}>{w.inChat}</Button> : null}
          <Button kind='primary' onClick={() => answer('once')}>{isCall ? w.once : w.openLink}</Button>
        </>
      )}
    >
      <p>{w.fromView}</p>
      <pre class='call-text' tabIndex={0}>{visibleText(isCall ? JSON.stringify(what.call.arguments, null, 2) : what.url)}</pre>
    </Dialog>
  )
}
