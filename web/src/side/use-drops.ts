import { type RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { filesOf } from '../core/composer/uploads.js'

/** Accepts files dropped on an element. Returns true while files are dragged over it. */
export function useDrops (target: RefObject<HTMLElement>, isWanted: boolean, onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(onFiles)
  latest.current = onFiles
  useEffect(() => {
    const element = target.current
    if (element === null || !isWanted) return
    const stop = new AbortController()
    let depth = 0
    const set = (next: number): void => {
      depth = Math.max(0, next)
      setOver(depth > 0)
    }
    const on = (type: 'dragenter' | 'dragover' | 'dragleave' | 'drop', listener: (transfer: DataTransfer) => void): void =>
      element.addEventListener(type, (event) => {
        const { dataTransfer: transfer } = event
        if (transfer === null || !transfer.types.includes('Files')) return
        event.preventDefault()
        // Elements around it accept files too.
        event.stopPropagation()
        listener(transfer)
      }, { signal: stop.signal })
    on('dragenter', () => set(depth + 1))
    on('dragover', (transfer) => { transfer.dropEffect = 'copy' })
    on('dragleave', () => set(depth - 1))
    on('drop', (transfer) => {
      set(0)
      const files = filesOf(transfer)
      if (files.length > 0) latest.current(files)
    })
    return () => stop.abort()
  }, [isWanted])
  return isOver
}
