import { type ComponentChildren, type ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { loadScreenWords, words } from '../words/index.js'
import { ErrorState } from './ErrorState.js'
import { Skeleton } from './Skeleton.js'

export interface LazyOptions {
  /** Shown until it is there; a skeleton of a few lines without. */
  waiting?: ComponentChildren
  /** Shown in its place when it cannot be loaded; a sentence with a button that tries again without. */
  missing?: (retry: () => void) => ComponentChildren
  /** It says only what the start can say: the words of screens are not fetched for it. */
  isBrief?: boolean
}

/**
 * A component whose code is loaded when it is first drawn: `const Usage = lazy(async () => (await import('./Usage.js')).Usage)`. `Usage.load()`
 * fetches it ahead of time, such as when a button is pointed at.
 */
export function lazy<Props extends object> (load: () => Promise<ComponentType<Props>>, { waiting, missing, isBrief = false }: LazyOptions = {}) {
  let Loaded: ComponentType<Props> | null = null
  let loading: Promise<void> | null = null
  const ready = () => {
    loading ??= Promise.all([load(), isBrief ? null : loadScreenWords()]).then(([component]) => { Loaded = component }).finally(() => { loading = null })
    return loading
  }
  function Lazy (props: Props) {
    const [state, setState] = useState<'loading' | 'ready' | 'failed'>(Loaded === null ? 'loading' : 'ready')
    useEffect(() => {
      if (state !== 'loading') return
      let gone = false
      ready().then(() => { if (!gone) setState('ready') }, () => { if (!gone) setState('failed') })
      return () => { gone = true }
    }, [state])
    if (Loaded !== null) return <Loaded {...props} />
    if (state !== 'failed') return <>{waiting ?? <Skeleton />}</>
    const retry = () => setState('loading')
    return <>{missing?.(retry) ?? <ErrorState error={words.value.ui.partMissing} onRetry={retry} />}</>
  }
  return Object.assign(Lazy, { load: ready })
}
