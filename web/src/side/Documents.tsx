import { type ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isOffice, kindOf } from '../core/files/file-kinds.js'
import { type DiffFile } from '../ui/diff.js'
import { DiffView, type DiffViewProps } from '../ui/DiffView.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { pictures, type Sides } from './Pictures.js'
import { reviewing } from './Reviewing.js'
import { type SideModel } from './side-model.js'

interface DocumentsOptions {
  /** The name of the file in the workspace, if the diff uses another one. */
  own?: string
  /** Whether the later side is not the file's present state. */
  isPast?: boolean
  /** The option of `reviewing` with this name. */
  view?: string
}

/** Returns the props with which a diff view shows pictures beside each other, and the text of office documents and notebooks. */
export function previews (
  model: SideModel, sidesOf: (file: DiffFile) => Sides, options: DocumentsOptions = {}
): Pick<DiffViewProps, 'above' | 'instead'> {
  return { above: pictures(sidesOf), instead: documents(model, sidesOf, options) }
}

function documents (
  model: SideModel, sidesOf: (file: DiffFile) => Sides, { own, isPast = false, view }: DocumentsOptions
): (file: DiffFile, lines: ComponentChildren) => ComponentChildren {
  return (file, lines) => {
    if (!isOffice(file.path) && kindOf(file.path) !== 'notebook') return null
    if (!file.binary && file.hunks.length === 0) return null
    const { before, after } = sidesOf(file)
    return (
      <DocumentDiff
        key={`${before} ${after}`} model={model} path={own ?? file.path} isPast={isPast} view={view} fallback={file.binary ? null : lines}
        before={file.state === 'created' ? null : before} after={file.state === 'deleted' ? null : after}
      />
    )
  }
}

/** How many lines are shown at first, at most. */
const mostLines = 120
/** How long comparing may take; texts with little in common take longer and are not compared. */
const mostMs = 1_000

type Compared = { state: 'reading' | 'unreadable' | 'same' | 'different' } | { state: 'compared', diff: string }

function DocumentDiff ({ model, path, before, after, isPast, view, fallback }: Sides & {
  model: SideModel
  path: string
  isPast: boolean
  view: string | undefined
  /** Shown if a text cannot be read. */
  fallback: ComponentChildren
}) {
  const [compared, setCompared] = useState<Compared>({ state: 'reading' })
  useEffect(() => {
    const stop = new AbortController()
    compare(before, after, stop.signal).then(
      (found) => { if (!stop.signal.aborted) setCompared(found) }, () => { if (!stop.signal.aborted) setCompared({ state: 'unreadable' }) }
    )
    return () => stop.abort()
  }, [before, after])
  const w = screenWords.value.diff
  switch (compared.state) {
    case 'reading': return <Skeleton lines={3} />
    case 'unreadable': return fallback ?? <p class='diff-note'>{w.noDocument}</p>
    case 'same': return <p class='diff-note'>{w.sameDocument}</p>
    case 'different': return <p class='diff-note'>{w.otherDocument}</p>
    case 'compared': return (
      <>
        <p class='diff-note'>{w.ofDocument}</p>
        <DiffView diff={compared.diff} bare lines={mostLines} {...reviewing(model, () => path, isPast, view)} />
      </>
    )
  }
}

async function compare (before: string | null, after: string | null, signal: AbortSignal): Promise<Compared> {
  const [{ createTwoFilesPatch }, old, now] = await Promise.all([import('diff'), textAt(before, signal), textAt(after, signal)])
  if (old === now) return { state: 'same' }
  const diff = createTwoFilesPatch('a/document', 'b/document', old, now, undefined, undefined, { context: 3, timeout: mostMs })
  return diff === undefined ? { state: 'different' } : { state: 'compared', diff }
}

/** Returns the text of a document; empty for a null address. Throws if the service cannot read it. */
async function textAt (url: string | null, signal: AbortSignal): Promise<string> {
  if (url === null) return ''
  const response = await fetch(`${url}&as=text`, { signal })
  // A machine with an earlier version sends the bytes instead.
  if (!response.ok || response.headers.get('content-type')?.startsWith('text/plain') !== true) throw new Error('no text')
  const text = await response.text()
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
