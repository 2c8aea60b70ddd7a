import { h, type ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type FromColour, type ToColour } from './highlight-worker.js'
import { type Coloured } from './highlight.js'

/** A worker that has had nothing to do for so long goes: its languages take memory. */
const idleMs = 30_000
/** So many stretches of code are put into the page at once; the next ones with the next picture. */
const drawnAtOnce = 300

let worker: Worker | null = null
let leaving: ReturnType<typeof setTimeout> | undefined
let lastId = 0
const waiting = new Map<number, (parts: Coloured[] | null) => void>()

/** What the stretches of the code are; null where nothing is known of its language, or the worker is not there. */
async function partsOf (code: string, language: string): Promise<Coloured[] | null> {
  clearTimeout(leaving)
  worker ??= start()
  const id = ++lastId
  worker.postMessage({ id, code, language } satisfies ToColour)
  return await new Promise((resolve) => waiting.set(id, resolve))
}

function start (): Worker {
  const started = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module', name: 'colours' })
  started.addEventListener('message', ({ data: { id, parts } }: MessageEvent<FromColour>) => {
    waiting.get(id)?.(parts)
    waiting.delete(id)
    if (waiting.size === 0) leaving = setTimeout(end, idleMs)
  })
  // Without its colours, code can be read just as well.
  started.addEventListener('error', end)
  return started
}

function end (): void {
  worker?.terminate()
  worker = null
  for (const resolve of waiting.values()) resolve(null)
  waiting.clear()
}

/** Elements for stretches of code. */
export function drawColoured (parts: readonly Coloured[]): ComponentChildren[] {
  return parts.map((part) => {
    if (typeof part === 'string') return part
    const children = drawColoured(part.children)
    return part.scope === undefined ? h('span', null, children) : h('span', { class: `code-${part.scope}` }, children)
  })
}

interface Drawn { code: string, language: string, parts: readonly Coloured[], shown: ComponentChildren[] }

/** The code in colours once they are there, a long one from its beginning on; null until then. An empty language has none. */
export function useColours (code: string, language: string): ComponentChildren[] | null {
  const [drawn, setDrawn] = useState<Drawn | null>(null)
  useEffect(() => {
    if (language === '') return
    let gone = false
    void partsOf(code, language).then((parts) => {
      if (!gone && parts !== null) setDrawn({ code, language, parts, shown: drawColoured(parts.slice(0, drawnAtOnce)) })
    })
    return () => { gone = true }
  }, [code, language])
  const current = drawn !== null && drawn.code === code && drawn.language === language ? drawn : null
  const left = current === null ? [] : current.parts.slice(current.shown.length)
  useEffect(() => {
    if (current === null || left.length === 0) return
    const frame = requestAnimationFrame(() =>
      setDrawn({ ...current, shown: [...current.shown, ...drawColoured(left.slice(0, drawnAtOnce))] }))
    return () => cancelAnimationFrame(frame)
  }, [current])
  if (current === null) return null
  return left.length === 0 ? current.shown : [...current.shown, left.map(textOf).join('')]
}

const textOf = (part: Coloured): string => typeof part === 'string' ? part : part.children.map(textOf).join('')
