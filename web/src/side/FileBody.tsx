import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { lineCount, tableOf, type OpenedFile } from '../core/files/opened-file.js'
import { baseName, visible, visibleText } from '../core/files/paths.js'
import { useColours } from '../markdown/colours.js'
import { Button } from '../ui/Button.js'
import { EmptyState } from '../ui/EmptyState.js'
import { ExternalLink } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { screenWords } from '../words/index.js'
import { Cells, OfficeText } from './OfficeText.js'
import { type SideModel } from './side-model.js'

const Markdown = lazy(async () => (await import('../markdown/Markdown.js')).Markdown)

/** Shows a file according to its kind. */
export function FileBody ({ model, opened, asSource }: { model: SideModel, opened: OpenedFile, asSource: boolean }) {
  const w = screenWords.value.files.preview
  const { kind, path } = opened
  const { openNamed: handleFile } = model
  const file = opened.file.value
  if (kind === 'pdf') {
    return (
      <EmptyState
        title={w.pdf}
        actions={(
          <Button icon={ExternalLink} onClick={() => { window.open(model.deeds.rawUrl(path), '_blank', 'noopener') }}>{w.openInTab}</Button>
        )}
      />
    )
  }
  if (kind === 'picture' || kind === 'audio' || kind === 'video') {
    return (
      <Medium
        key={opened.edition.value ?? 0} kind={kind} url={model.deeds.rawUrl(path, opened.edition.value ?? undefined)}
        name={visible(baseName(path))}
      />
    )
  }
  if (file === null) return null
  if (file.preview !== null) return <OfficeText file={file} />
  if (file.is_binary) return <EmptyState title={w.binary} />
  if (kind === 'markdown' && !asSource) {
    return <div class='side-scroll side-padded' tabIndex={0}><Markdown text={file.content} onFile={handleFile} /></div>
  }
  if (kind === 'table' && !asSource) return <CellText text={file.content} />
  return <NumberedText text={file.content} name={path} line={model.line.value} />
}

function Medium ({ kind, url, name }: { kind: 'picture' | 'audio' | 'video', url: string, name: string }) {
  const [failed, setFailed] = useState(false)
  const onError = (): void => setFailed(true)
  if (failed) return <EmptyState title={screenWords.value.files.preview.unplayable} />
  return (
    <div class='side-scroll side-padded preview-medium'>
      {kind === 'picture' && <img src={url} alt={name} onError={onError} />}
      {kind === 'audio' && <audio src={url} controls preload='metadata' aria-label={name} onError={onError} />}
      {kind === 'video' && <video src={url} controls preload='metadata' aria-label={name} onError={onError} />}
    </div>
  )
}

/** Line numbers are outside of the text, so that copying leaves them out. */
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

/** Returns the highlighter's name of the language, mostly the file's ending. */
function languageOf (path: string): string {
  const name = baseName(path).toLowerCase()
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : name
}

function CellText ({ text }: { text: string }) {
  const { rows, more } = useMemo(() => tableOf(text), [text])
  return <Cells rows={rows} cut={more} />
}
