import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { lineCount, tableOf, type OpenedFile } from '../core/files/opened-file.js'
import { baseName, visible, visibleText } from '../core/files/paths.js'
import { useColours } from '../markdown/colours.js'
import { Button } from '../ui/Button.js'
import { EmptyState } from '../ui/EmptyState.js'
import { ExternalLink, FileType } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { isPhone } from '../ui/screen.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { FromBytes, NotShown } from './FromBytes.js'
import { Cells, OfficeText } from './OfficeText.js'
import { type SideModel } from './side-model.js'

const Markdown = lazy(async () => (await import('../markdown/Markdown.js')).Markdown)
const FramedPage = lazy(async () => (await import('../frame/FramedPage.js')).FramedPage)
const NotebookView = lazy(async () => (await import('./NotebookView.js')).NotebookView)

/** The largest notebook that is shown, in bytes; it is read as a whole. */
const mostNotebookBytes = 20_000_000

/** Shows a file according to its kind; `onSource` is called to show its text instead. */
export function FileBody ({ model, opened, asSource, onSource }: {
  model: SideModel
  opened: OpenedFile
  asSource: boolean
  onSource: () => void
}) {
  const w = screenWords.value.files.preview
  const { kind, path } = opened
  const { openNamed: handleFile } = model
  const file = opened.file.value
  const edition = opened.edition.value ?? file?.version
  const url = model.actions.rawUrl(path, edition)
  const downloadUrl = model.actions.downloadUrl(path)
  const name = visible(baseName(path))
  if (kind === 'pdf') return <Pdf key={url} url={url} name={name} downloadUrl={downloadUrl} />
  if (kind === 'notebook' && !asSource) {
    return (
      <FromBytes key={url} url={url} downloadUrl={downloadUrl} most={mostNotebookBytes}>
        {(bytes) => <NotebookView bytes={bytes} downloadUrl={downloadUrl} onFile={handleFile} />}
      </FromBytes>
    )
  }
  if (kind === 'picture' || kind === 'audio' || kind === 'video') {
    return <Medium key={url} kind={kind} url={url} name={name} downloadUrl={downloadUrl} />
  }
  if (file === null) return null
  if (file.preview !== null) return <OfficeText file={file} />
  if (file.is_binary) return <NotShown title={w.binary} downloadUrl={downloadUrl} />
  if (kind === 'markdown' && !asSource) {
    return <div class='side-scroll side-padded' tabIndex={0}><Markdown text={file.content} onFile={handleFile} /></div>
  }
  if (kind === 'page' && !asSource) {
    return <div class='side-scroll artifact-large'><FramedPage html={file.content} title={name} isLarge onStop={onSource} /></div>
  }
  if (kind === 'table' && !asSource) return <CellText text={file.content} />
  return <NumberedText text={file.content} name={path} line={model.line.value} />
}

function Medium ({ kind, url, name, downloadUrl }: {
  kind: 'picture' | 'audio' | 'video'
  url: string
  name: string
  downloadUrl: string
}) {
  const [failed, setFailed] = useState(false)
  const onError = (): void => setFailed(true)
  if (failed) return <NotShown title={screenWords.value.files.preview.unplayable} downloadUrl={downloadUrl} />
  return (
    <div class='side-scroll side-padded preview-medium'>
      {kind === 'picture' && <img src={url} alt={name} onError={onError} />}
      {kind === 'audio' && <audio src={url} controls preload='metadata' aria-label={name} onError={onError} />}
      {kind === 'video' && <video src={url} controls preload='metadata' aria-label={name} onError={onError} />}
    </div>
  )
}

/** Shows a PDF in the browser's own viewer, which can search, print and read aloud; phones have no viewer that fits into a page. */
function Pdf ({ url, name, downloadUrl }: { url: string, name: string, downloadUrl: string }) {
  const [state, setState] = useState<'asked' | 'there' | 'broken'>('asked')
  const w = screenWords.value.files.preview
  useEffect(() => {
    const stop = new AbortController()
    // A frame does not report to its page that it shows an error.
    isPdf(url, stop.signal).then((found) => setState(found ? 'there' : 'broken'), () => { if (!stop.signal.aborted) setState('broken') })
    return () => stop.abort()
  }, [url])
  if (state === 'asked') return <div class='side-padded'><Skeleton lines={8} /></div>
  if (state === 'broken') return <NotShown title={w.pdfBroken} downloadUrl={downloadUrl} />
  if (navigator.pdfViewerEnabled && !isPhone.value) return <iframe class='pdf' src={url} title={name} />
  const open = (): void => { window.open(url, '_blank', 'noopener') }
  return <EmptyState icon={FileType} title={w.pdf} actions={<Button icon={ExternalLink} onClick={open}>{w.openInTab}</Button>} />
}

/** Whether a file begins as a PDF does. */
async function isPdf (url: string, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(url, { headers: { range: 'bytes=0-1023' }, signal })
  return response.ok && (await response.text()).includes('%PDF-')
}

/** Shows a text with line numbers. They are outside of the text, so that copying leaves them out. */
function NumberedText ({ text, name, line }: { text: string, name: string, line: number | null }) {
  const shown = useMemo(() => visibleText(text), [text])
  const coloured = useColours(shown, languageOf(name))
  const count = Math.max(1, lineCount(text))
  const numbers = useMemo(() => Array.from({ length: count }, (_, at) => at + 1).join('\n'), [count])
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = frame.current
    if (element === null || line === null) return
    element.scrollTop = (line - 1) / count * element.scrollHeight - element.clientHeight / 3
  }, [line, count])
  return (
    <div
      ref={frame} class='side-scroll numbered' tabIndex={0} role='group'
      aria-label={screenWords.value.files.preview.textOf(visible(baseName(name)))}
    >
      <pre class='numbered-numbers' aria-hidden>{numbers}</pre>
      <pre class='numbered-text'><code>{coloured ?? shown}</code></pre>
    </div>
  )
}

/** Returns the highlighter's name of the language, which is usually the file extension. */
function languageOf (path: string): string {
  const name = baseName(path).toLowerCase()
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : name
}

function CellText ({ text }: { text: string }) {
  const { rows, more } = useMemo(() => tableOf(text), [text])
  return <Cells rows={rows} cut={more} />
}
