import { useEffect, useState } from 'preact/hooks'
import { words } from '../words/index.js'

export interface PictureViewProps {
  svg: string
  /** The description for screen readers. */
  title: string
  size?: { width: number, height: number }
  onProblem: (why: string) => void
}

/** Shows SVG as a picture: in this form, a browser neither runs scripts in it nor loads anything for it. */
export function PictureView ({ svg, title, size, onProblem }: PictureViewProps) {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([named(svg)], { type: 'image/svg+xml' }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [svg])
  return (
    <div class='artifact-body artifact-drawn' tabIndex={0} role='group' aria-label={title}>
      {url === null ? null : <img src={url} alt={title} {...size} onError={() => onProblem(words.value.markdown.artifact.noPicture)} />}
    </div>
  )
}

/** Adds the namespace, which a separate document needs and which people omit. */
const named = (svg: string): string =>
  /<svg\b[^>]*\sxmlns\s*=/.test(svg) ? svg.trim() : svg.trim().replace(/<svg\b/, '<svg xmlns="http://www.w3.org/2000/svg"')
