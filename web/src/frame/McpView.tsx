import { useSignalEffect } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api, personStore } from '../app.js'
import { giveBack, openChat } from '../conversation/open-chat.js'
import { visible } from '../core/files/paths.js'
import { type Wire } from '../core/service/api.js'
import { isDark } from '../shell/appearance.js'
import { Button } from '../ui/Button.js'
import { CircleStop, Expand } from '../ui/icons.js'
import { language, words } from '../words/index.js'
import { beginsWork, endsWork, wasBroken } from './at-work.js'
import { createBridge, mostTextChars } from './bridge.js'
import { createFrame, type FrameDomains } from './frame.js'
import { AskDialog, type ViewAsk, type ViewChoice } from './AskDialog.js'
import './artifact.css'

type View = Wire<'McpView'>

const firstHeightPx = 160
const tallestPx = 720
let asks = 0
/** A view that has run for this long is started without asking the next time. */
const settledMs = 3_000
/** How many requests of a view may wait at once, because a person answers them one after the other; further ones are refused. */
const mostAsked = 5

/** Shows the view of a call, once its page is loaded and the person has seen which hosts it wants to reach. */
export function McpView ({ sessionId, callId }: { sessionId: string, callId: string }) {
  const [view, setView] = useState<View | null>(null)
  const [isHeld, setHeld] = useState(() => wasBroken(callId))
  const [isSeen, setSeen] = useState(false)
  const [isClosed, setClosed] = useState(false)
  const [canFill, setCanFill] = useState(false)
  const [isFull, setFull] = useState(false)
  const figure = useRef<HTMLElement>(null)
  useLayoutEffect(() => isFull && figure.current !== null ? filling(figure.current, () => setFull(false)) : undefined, [isFull])
  const w = words.value.markdown.view
  useEffect(() => {
    let isOver = false
    api.get('/api/mcp/view', { session_id: sessionId, call_id: callId }).then((found) => { if (!isOver) setView(found) }, () => {})
    return () => { isOver = true }
  }, [sessionId, callId])
  if (view === null) return null
  const { page, server, tool } = view
  if (page === null) return <p class='exchange-event' role='note'>{w.gone(server)}</p>
  const reached = originsOf(page.domains)
  const key = `view-reach ${server} ${reached.join(' ')}`
  const mayReach = reached.length === 0 || isSeen || personStore.getItem(key) !== null
  const agree = (): void => {
    personStore.setItem(key, '1')
    setSeen(true)
  }
  const show = (): void => { setHeld(false); setClosed(false) }
  const close = (): void => { setFull(false); setClosed(true) }
  return (
    <figure ref={figure} class='code artifact' aria-label={w.of(tool, server)}>
      <figcaption class='code-head'>
        <span class='code-language'>{w.of(tool, server)}</span>
        {isClosed || isHeld || !mayReach
          ? null
          : (
            <>
              {!canFill
                ? null
                : isFull
                  ? <Button size='small' onClick={() => setFull(false)}>{w.leaveFull}</Button>
                  : <Button kind='quiet' size='small' icon={Expand} label={w.full} onClick={() => setFull(true)} />}
              <Button kind='quiet' size='small' icon={CircleStop} label={w.close} onClick={close} />
            </>
            )}
      </figcaption>
      {!mayReach
        ? (
          <div class='artifact-body artifact-note'>
            <span>{w.reaches}</span> <code>{visible(reached.join(' '))}</code> <Button size='small' onClick={agree}>{w.show}</Button>
          </div>
          )
        : isHeld || isClosed
          ? <p class='artifact-body artifact-note'>{isHeld ? w.held : w.closed} <Button size='small' onClick={show}>{w.show}</Button></p>
          : <LiveView {...{ view, page, sessionId, isFull }} onStop={close} onCanFill={() => setCanFill(true)} onFull={setFull} />}
    </figure>
  )
}

/** Shows an element over the whole window, where it is in the document: a frame that is moved begins anew. Returns what takes that back. */
function filling (element: HTMLElement, leave: () => void): () => void {
  const hear = ({ key }: KeyboardEvent): void => { if (key === 'Escape') leave() }
  element.popover = 'manual'
  element.showPopover()
  addEventListener('keydown', hear)
  return () => {
    removeEventListener('keydown', hear)
    element.popover = null
  }
}

interface LiveViewProps {
  view: View
  page: NonNullable<View['page']>
  sessionId: string
  isFull: boolean
  onStop: () => void
  onCanFill: () => void
  onFull: (isFull: boolean) => void
}

function LiveView ({ view, page, sessionId, isFull, onStop, onCanFill, onFull }: LiveViewProps) {
  const holder = useRef<HTMLDivElement>(null)
  const changed = useRef(() => {})
  const full = useRef(isFull)
  const [height, setHeight] = useState(firstHeightPx)
  const [isStuck, setStuck] = useState(false)
  const [asked, setAsked] = useState<ViewAsk | null>(null)
  const w = words.value.markdown
  useEffect(() => {
    if (holder.current === null) return
    const { call_id: callId, server, tool, arguments: args, result } = view
    beginsWork(callId)
    const settled = setTimeout(() => endsWork(callId), settledMs)
    // Requests are shown one after the other, because a person answers what they see.
    let last: Promise<unknown> = Promise.resolve()
    let open = 0
    const ask = async (what: ViewAsk['what']): Promise<ViewChoice> => {
      if (open >= mostAsked) throw new Error('Too much is asked already.')
      open++
      const key = ++asks
      const answered = last.then(async () => await new Promise<ViewChoice>((resolve) =>
        setAsked({ key, what, server, answer: (choice) => { setAsked(null); resolve(choice) } })))
      last = answered
      return await answered.finally(() => { open-- })
    }
    const frame = createFrame(holder.current, {
      html: page.html,
      title: w.view.of(tool, server),
      domains: page.domains,
      onMessage: (data) => bridge.hear(data),
      onHeight: (px) => setHeight(Math.min(tallestPx, Math.max(40, px))),
      onStuck: setStuck
    })
    const bridge = createBridge({
      post: frame.post,
      call: { id: callId, tool, args, result },
      domains: page.domains,
      context: () => contextOf(holder.current, full.current),
      callTool: async (name, given) => await callForView({ session_id: sessionId, call_id: callId, tool: name, arguments: given }, ask),
      readResource: async (uri) => await callForView({ session_id: sessionId, call_id: callId, uri }, ask),
      canFill: onCanFill,
      show (mode) {
        const isWanted = mode === 'fullscreen'
        // No view fills the window by itself: only one that the person is in.
        if (isWanted && document.activeElement !== frame.element) return full.current ? 'fullscreen' : 'inline'
        onFull(isWanted)
        return mode
      },
      leave: onStop,
      async openLink (url) {
        if (await ask({ url }) === 'deny') return false
        window.open(url, '_blank', 'noopener')
        return true
      },
      message (text) {
        // Text that is already in the box is the person's, who may not notice that it grows, so the total is limited.
        if ((openChat.peek()?.draft.text.peek() ?? '').length + text.length > mostTextChars) return false
        giveBack({ text, attachments: [] })
        onFull(false)
        return true
      }
    })
    changed.current = () => bridge.contextChanged()
    return () => {
      clearTimeout(settled)
      endsWork(callId)
      bridge.close()
      frame.remove()
    }
  }, [view])
  useEffect(() => {
    full.current = isFull
    changed.current()
  }, [isFull])
  useSignalEffect(() => {
    void [isDark.value, language.value]
    changed.current()
  })
  return (
    <div class='artifact-body'>
      {isStuck
        ? <p class='artifact-note' role='alert'>{w.artifact.stuck} <Button size='small' icon={CircleStop} onClick={onStop}>{w.artifact.stop}</Button></p>
        : null}
      <div ref={holder} style={{ blockSize: isFull ? '100%' : `${height}px` }} class='artifact-frame' />
      {asked === null ? null : <AskDialog key={asked.key} ask={asked} onStop={onStop} />}
    </div>
  )
}

/** Makes a call; if permission is needed, repeats it with the person's answer. Throws ApiError, and Error with a message for the view. */
async function callForView (
  call: { session_id: string, call_id: string, tool?: string, arguments?: Record<string, unknown>, uri?: string },
  ask: (what: ViewAsk['what']) => Promise<ViewChoice>
): Promise<unknown> {
  let outcome = await api.post('/api/mcp/view/call', call)
  if (outcome.state === 'asked') {
    const choice = await ask({ call: outcome })
    outcome = await api.post('/api/mcp/view/answer', { session_id: call.session_id, ask_id: outcome.ask_id, choice })
  }
  if (outcome.state === 'done') return outcome.result
  throw new Error(outcome.state === 'refused' ? outcome.message : 'It is asked about again.')
}

const originsOf = ({ connect, resource, frame, base }: FrameDomains): string[] =>
  [...new Set([...connect, ...resource, ...frame, ...base])].toSorted()

/** Colours of the app, by their names in the extension. */
const variables: Readonly<Record<string, string>> = {
  '--color-background-primary': 'bg',
  '--color-background-secondary': 'rail',
  '--color-background-tertiary': 'pick',
  '--color-text-primary': 'text',
  '--color-text-secondary': 'muted',
  '--color-border-primary': 'line',
  '--color-border-secondary': 'edge',
  '--color-ring-primary': 'accent',
  '--color-text-danger': 'bad',
  '--color-text-success': 'good',
  '--color-text-warning': 'wait',
  '--border-radius-sm': 'r1',
  '--border-radius-md': 'r2',
  '--border-radius-lg': 'r3'
}

function contextOf (holder: HTMLElement | null, isFull: boolean): Record<string, unknown> {
  const width = holder?.clientWidth ?? 0
  const style = getComputedStyle(document.documentElement)
  const valued = Object.entries(variables).map(([name, token]) => [name, style.getPropertyValue(`--${token}`).trim()])
  return {
    theme: isDark.peek() ? 'dark' : 'light',
    styles: { variables: { ...Object.fromEntries(valued), '--font-sans': 'system-ui, sans-serif', '--font-mono': 'ui-monospace, monospace' } },
    displayMode: isFull ? 'fullscreen' : 'inline',
    availableDisplayModes: ['inline', 'fullscreen'],
    containerDimensions: { width, ...(isFull ? { height: holder?.clientHeight ?? 0 } : { maxHeight: tallestPx }) },
    locale: document.documentElement.lang || 'en',
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    platform: 'web'
  }
}
