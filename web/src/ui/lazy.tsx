import { effect } from '@preact/signals'
import { type ComponentChildren, type ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { api, appVersion, link } from '../app.js'
import { type Missing } from '../core/service/app-version.js'
import { loadScreenWords, words } from '../words/index.js'
import { Button } from './Button.js'
import { ErrorState } from './ErrorState.js'
import { loadMissingStyles } from './missing-styles.js'
import { Skeleton } from './Skeleton.js'

export interface LazyOptions<Props> {
  /** Shown until the code is loaded; by default a skeleton. Null: nothing. */
  waiting?: ComponentChildren
  /**
   * Returns what is shown if the code cannot be loaded; by default a sentence with what to do. Null: nothing, for what nobody waits for and
   * what says nothing that a person has to know.
   */
  missing?: (retry: () => void, props: Props) => ComponentChildren
  /** What to load before: nothing that a person waits for has to share the network with it. Never rejects. */
  after?: () => Promise<unknown>
  /** Whether it uses only the texts of the start, so that those of screens are not loaded. */
  isBrief?: boolean
  /** Draws the frame around `waiting` and `missing`, if the component draws that frame itself. */
  frame?: (content: ComponentChildren) => ComponentChildren
}

/**
 * A component whose code is loaded when it is first drawn: `const Usage = lazy(async () => (await import('./Usage.js')).Usage)`.
 * `Usage.load()` loads it ahead of time, such as on hover.
 */
export function lazy<Props extends object> (
  load: () => Promise<ComponentType<Props>>,
  { waiting = <Skeleton />, missing, after, isBrief = false, frame = (content) => content }: LazyOptions<Props> = {}
) {
  let Loaded: ComponentType<Props> | null = null
  let loading: Promise<void> | null = null
  const ready = () => {
    loading ??= Promise.resolve(after?.()).then(loadMissingStyles).then(() => Promise.all([load(), isBrief ? null : loadScreenWords()]))
      .then(([component]) => { Loaded = component })
      .finally(() => { loading = null })
    return loading
  }
  function Lazy (props: Props) {
    const [state, setState] = useState<'loading' | 'ready' | Missing>(Loaded === null ? 'loading' : 'ready')
    useEffect(() => {
      if (state !== 'loading') return
      let gone = false
      const become = (next: 'ready' | Missing): void => { if (!gone) setState(next) }
      ready().then(() => become('ready'), async () => become(await appVersion.ask(api)))
      return () => { gone = true }
    }, [state])
    useEffect(() => state === 'cut-off' ? onceReached(() => setState('loading')) : undefined, [state])
    if (Loaded !== null) return <Loaded {...props} />
    if (state === 'loading' || state === 'ready') return <>{frame(waiting)}</>
    const retry = () => setState('loading')
    return <>{frame(missing === undefined ? <MissingPart why={state} onRetry={retry} /> : missing(retry, props))}</>
  }
  return Object.assign(Lazy, { load: ready })
}

/** Calls back when the connection to the service opens again. Returns what ends that. */
function onceReached (call: () => void): () => void {
  let wasOpen = true
  return effect(() => {
    const isOpen = link.state.value === 'open'
    if (isOpen && !wasOpen) call()
    wasOpen = isOpen
  })
}

function MissingPart ({ why, onRetry }: { why: Missing, onRetry: () => void }) {
  const { ui, offline, common } = words.value
  const reload = <Button kind={why === 'new-version' ? 'primary' : 'plain'} onClick={() => location.reload()}>{offline.reload}</Button>
  if (why === 'new-version') return <ErrorState error={ui.partOfBefore}>{reload}</ErrorState>
  // After a failure, a browser may continue to report the file as missing until the page is reloaded.
  return (
    <ErrorState error={why === 'cut-off' ? common.unreachable : ui.partMissing} onRetry={onRetry}>
      {why === 'broken' ? reload : null}
    </ErrorState>
  )
}
