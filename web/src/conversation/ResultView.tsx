import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { api } from '../app.js'
import { ApiError } from '../core/service/api.js'
import { type FileText as ReadFile } from '../core/files/opened-file.js'
import { visible } from '../core/files/paths.js'
import { type ResultFile } from '../core/files/result-files.js'
import { OfficeText } from '../side/OfficeText.js'
import { sizeText } from '../side/format.js'
import '../side/side.css'
import { Button } from '../ui/Button.js'
import { Disclosure } from '../ui/Disclosure.js'
import { Icon } from '../ui/Icon.js'
import { AudioLines, Download, ExternalLink, FileCode, FileText, FileType, Film, Image, PanelRight } from '../ui/icons.js'
import { type LucideIcon } from '../ui/lucide.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { showFile } from './open-chat.js'

const icons: Record<ResultFile['kind'], LucideIcon> = { picture: Image, audio: AudioLines, video: Film, pdf: FileType, document: FileText, page: FileCode }

/** Shows a file of an answer in place: media, the text of office documents, a link for all others. */
export function ResultView ({ file, sessionId }: { file: ResultFile, sessionId: string }) {
  const { kind, path, isElsewhere } = file
  const isGone = useSignal(false)
  const [sizeBytes, setSizeBytes] = useState<number | null>(null)
  const w = screenWords.value.talk.results
  const name = visible(file.name)
  const place = { session_id: sessionId, path }
  const url = isElsewhere ? api.url('/api/media', { ...place, inline: '1' }) : api.url('/api/file/raw', place)
  const isMedium = kind === 'picture' || kind === 'audio' || kind === 'video'
  useEffect(() => {
    if (isMedium) return
    let isOver = false
    void sizeOf(url).then((found) => {
      if (isOver) return
      setSizeBytes(found)
      isGone.value = found === null
    })
    return () => { isOver = true }
  }, [url])
  if (isGone.value) return <p class='result-gone' role='note'>{w.gone(visible(path))}</p>
  const onError = (): void => { isGone.value = true }
  const open = (): void => {
    if (isElsewhere || kind === 'pdf') window.open(url, '_blank', 'noopener')
    else showFile(path, null)
  }
  return (
    <>
      <header class='result-head'>
        <Icon of={icons[kind]} size={14} />
        <bdi class='result-name' title={visible(path)}>{name}</bdi>
        {sizeBytes === null ? null : <span class='result-size'>{sizeText(sizeBytes)}</span>}
        {kind === 'document' && isElsewhere
          ? null
          : <Button
              kind='quiet' size='small' icon={isElsewhere || kind === 'pdf' ? ExternalLink : PanelRight}
              label={isElsewhere || kind === 'pdf' ? w.openInTab(name) : w.open(name)}
              onClick={open}
            />}
        <Button
          kind='quiet' size='small' icon={Download} label={w.download(name)}
          onClick={() => {
            save(isElsewhere ? api.url('/api/media', place) : api.url('/api/file/raw', { ...place, download: '1' }), file.name)
          }}
        />
      </header>
      {kind === 'picture' ? <img class='result-medium' src={url} alt={name} loading='lazy' decoding='async' onError={onError} /> : null}
      {kind === 'audio' ? <audio class='result-medium' src={url} controls preload='metadata' aria-label={name} onError={onError} /> : null}
      {kind === 'video'
        ? <video class='result-medium' src={url} controls preload='metadata' playsInline aria-label={name} onError={onError} />
        : null}
      {kind === 'document' && !isElsewhere
        ? (
          <Disclosure class='result-document' name={`result ${path}`} summary={w.text}>
            {() => <DocumentText path={path} sessionId={sessionId} />}
          </Disclosure>
          )
        : null}
    </>
  )
}

/** Shows the text of an office document. */
function DocumentText ({ path, sessionId }: { path: string, sessionId: string }) {
  const file = useSignal<ReadFile | null>(null)
  const problem = useSignal<string | null>(null)
  useEffect(() => {
    api.get('/api/file', { session_id: sessionId, path }).then((read) => { file.value = read }, (error: unknown) => {
      if (!(error instanceof ApiError)) throw error
      problem.value = error.message
    })
  }, [path])
  return (
    <div class='result-text'>
      {problem.value !== null
        ? <p class='exchange-problem'>{problem.value}</p>
        : file.value === null
          ? <Skeleton lines={4} />
          : file.value.preview === null
            ? <p class='exchange-event'>{screenWords.value.talk.results.noText}</p>
            : <OfficeText file={file.value} />}
    </div>
  )
}

/** Returns the size of a file in bytes; null if the file cannot be reached. */
async function sizeOf (url: string): Promise<number | null> {
  try {
    const response = await fetch(url, { method: 'HEAD' })
    return response.ok ? Number(response.headers.get('content-length') ?? 0) : null
  } catch {
    return null
  }
}

function save (url: string, name: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}
