import { h, type ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type FromColour, type ToColour } from './highlight-worker.js'
import { type Coloured } from './highlight.js'

/** How long an idle worker is kept: its languages take memory. */
const idleMs = 30_000
/** How many pieces are added to the page per animation frame. */
const drawnAtOnce = 300

let worker: Worker | null = null
let leaving: ReturnType<typeof setTimeout> | undefined
let lastId = 0
const waiting = new Map<number, (parts: Coloured[] | null) => void>()

/** Returns the pieces of highlighted code; null for an unknown language, or if the worker fails. */
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
  // Code is readable without colours.
  started.addEventListener('error', end)
  return started
}

function end (): void {
  worker?.terminate()
  worker = null
  for (const resolve of waiting.values()) resolve(null)
  waiting.clear()
}

/** Returns elements for pieces of code. */
export function drawColoured (parts: readonly Coloured[]): ComponentChildren[] {
  return parts.map((part) => {
    if (typeof part === 'string') return part
    const children = drawColoured(part.children)
    return part.scope === undefined ? h('span', null, children) : h('span', { class: `code-${part.scope}` }, children)
  })
}

interface Drawn { code: string, language: string, parts: readonly Coloured[], shown: ComponentChildren[] }

/** Returns the highlighted code, growing from its beginning if it is long; null until it is ready. An empty language has no colours. */
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
