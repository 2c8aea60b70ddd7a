import { type ComponentChildren } from 'preact'
import { Button } from '../ui/Button.js'
import { EmptyState } from '../ui/EmptyState.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Download } from '../ui/icons.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { download } from './EntryRow.js'
import { useBytes } from './use-bytes.js'

export interface FromBytesProps {
  url: string
  /** The address of the download if it cannot be shown. */
  downloadUrl: string
  /** The size in bytes up to which it is shown. */
  most: number
  children: (bytes: ArrayBuffer) => ComponentChildren
}

/** Shows a file from its bytes. If it is too large, or cannot be read, shows a sentence and its download. */
export function FromBytes ({ url, downloadUrl, most, children }: FromBytesProps) {
  const read = useBytes(url, most)
  const w = screenWords.value.files.preview
  switch (read.state) {
    case 'reading': return <div class='side-padded'><Skeleton lines={8} /></div>
    case 'read': return <>{children(read.bytes)}</>
    case 'large': return <NotShown title={w.tooLarge} downloadUrl={downloadUrl} />
    case 'failed': return <ErrorState error={w.unreadable} onRetry={read.handleRetry} />
  }
}

/** Shown in place of a file that cannot be shown here. */
export function NotShown ({ title, downloadUrl, children }: { title: string, downloadUrl: string, children?: ComponentChildren }) {
  const { download: text } = screenWords.value.files
  return (
    <EmptyState title={title} actions={<Button icon={Download} onClick={() => download(downloadUrl)}>{text}</Button>}>
      {children}
    </EmptyState>
  )
}
