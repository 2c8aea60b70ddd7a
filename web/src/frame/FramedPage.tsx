import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../ui/Button.js'
import { CircleStop } from '../ui/icons.js'
import { words } from '../words/index.js'
import { createFrame } from './frame.js'
import './artifact.css'

export interface FramedPageProps {
  html: string
  title: string
  /** Whether it fills the available space, instead of being as tall as its content. */
  isLarge: boolean
  onStop: () => void
}

const firstHeightPx = 240
const tallestPx = 620

/** Shows a page of an answer or a folder: with its scripts, without network, and isolated from everything else. */
export function FramedPage ({ html, title, isLarge, onStop }: FramedPageProps) {
  const holder = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(firstHeightPx)
  const [isStuck, setStuck] = useState(false)
  const [blocked, setBlocked] = useState<ReadonlySet<string>>(new Set())
  const w = words.value.markdown.artifact
  useEffect(() => {
    if (holder.current === null) return
    const frame = createFrame(holder.current, {
      html,
      title,
      measured: !isLarge,
      onMessage: () => {},
      onHeight: (px) => setHeight(Math.min(tallestPx, Math.max(40, px))),
      onStuck: setStuck,
      onBlocked: (uri) => setBlocked((known) => known.size >= 100 || known.has(uri) ? known : new Set([...known, uri]))
    })
    return () => frame.remove()
  }, [html, isLarge])
  return (
    <div class='artifact-body'>
      {isStuck ? <p class='artifact-note' role='alert'>{w.stuck} <Button size='small' icon={CircleStop} onClick={onStop}>{w.stop}</Button></p> : null}
      {blocked.size === 0 ? null : <p class='artifact-note' role='note'>{w.blocked(blocked.size)}</p>}
      <div ref={holder} style={isLarge ? { blockSize: '100%' } : { blockSize: `${height}px` }} class='artifact-frame' />
    </div>
  )
}
