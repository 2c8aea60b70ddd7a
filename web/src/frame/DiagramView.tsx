import { useEffect, useState } from 'preact/hooks'
import { isDark } from '../shell/appearance.js'
import { Button } from '../ui/Button.js'
import { words } from '../words/index.js'
import { beginsWork, endsWork, markOf, wasBroken } from './at-work.js'
import { drawDiagram, mostDiagramChars, type Drawn } from './diagrams.js'
import { PictureView } from './PictureView.js'

/** Draws a Mermaid diagram; calls `onProblem` if it cannot be drawn. */
export function DiagramView ({ code, title, onProblem }: { code: string, title: string, onProblem: (why: string) => void }) {
  const mark = markOf(code)
  const [isHeld, setHeld] = useState(() => wasBroken(mark))
  const [drawn, setDrawn] = useState<Drawn | null>(null)
  const w = words.value.markdown.artifact
  const dark = isDark.value
  useEffect(() => {
    if (isHeld) return
    let isOver = false
    const tell = (why: string): void => { if (!isOver) onProblem(why) }
    if (code.length > mostDiagramChars) return tell(w.noDiagram)
    beginsWork(mark)
    drawDiagram(code, dark).then((found) => {
      if ('problem' in found) tell(w.noDiagram)
      else if (!isOver) setDrawn(found)
    }, () => tell(w.notLoaded)).finally(() => endsWork(mark))
    return () => { isOver = true }
  }, [code, dark, isHeld])
  if (isHeld) {
    return (
      <p class='artifact-body artifact-note'>
        {w.tookTooLong} <Button size='small' onClick={() => setHeld(false)}>{w.drawAnyway}</Button>
      </p>
    )
  }
  if (drawn === null || 'problem' in drawn) return <p class='artifact-body artifact-note'>{w.drawing}</p>
  return <PictureView svg={drawn.svg} size={{ width: drawn.width, height: drawn.height }} title={title} onProblem={onProblem} />
}
