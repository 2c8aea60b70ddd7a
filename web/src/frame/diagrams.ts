import library from '@mermaid-js/tiny/dist/mermaid.tiny.js?url'
import drawer from './drawer.js?raw'
import { createFrame, recordOf, type Frame } from './frame.js'

/** A drawing as SVG text, which is to be shown as a picture only, with its size; or why there is none. */
export type Drawn = { svg: string, width: number, height: number } | { problem: string }

/** Longer diagrams are shown as code. */
export const mostDiagramChars = 50_000
const longestMs = 15_000
const mostKept = 60

const kept = new Map<string, Drawn>()
let frame: Promise<Frame> | null = null
let last: Promise<unknown> = Promise.resolve()
let count = 0
const waiting = new Map<number, (drawn: Drawn) => void>()

/**
 * Draws a Mermaid diagram in the colours of a theme. One hidden frame draws all diagrams of the window, one after the other; the library is
 * loaded with the first. Rejects if the library cannot be loaded.
 */
export async function drawDiagram (code: string, isDark: boolean): Promise<Drawn> {
  const key = `${isDark ? 'dark' : 'light'} ${code}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const turn = last.then(async () => kept.get(key) ?? await draw(code, isDark))
  last = turn.catch(() => {})
  const drawn = await turn
  kept.set(key, drawn)
  for (const [old] of kept) {
    if (kept.size <= mostKept) break
    kept.delete(old)
  }
  return drawn
}

async function draw (code: string, isDark: boolean): Promise<Drawn> {
  frame ??= begin()
  const { post } = await frame.catch((error: unknown) => {
    frame = null
    throw error
  })
  const id = ++count
  return await new Promise((resolve) => {
    const timer = setTimeout(() => {
      // The frame may never finish, so the next diagram gets a new one.
      void frame?.then((stuck) => stuck.remove())
      frame = null
      end({ problem: 'timeout' })
    }, longestMs)
    const end = (drawn: Drawn): void => {
      clearTimeout(timer)
      waiting.delete(id)
      resolve(drawn)
    }
    waiting.set(id, end)
    post({ id, code, settings: settingsOf(isDark) })
  })
}

async function begin (): Promise<Frame> {
  const response = await fetch(library)
  if (!response.ok) throw new Error(`The library answers ${response.status}`)
  const text = await response.text()
  const holder = document.createElement('div')
  holder.className = 'frame-hidden'
  holder.ariaHidden = 'true'
  document.body.append(holder)
  return await new Promise((resolve) => {
    const made = createFrame(holder, {
      // The document reports by a message of its own that its library has loaded.
      html: `<!doctype html><meta charset="utf-8"><body><script>${drawer};parent.postMessage({ ready: true }, '*')</script>`,
      title: '',
      onMessage (data) {
        const { ready, id, svg, problem } = recordOf(data)
        if (ready === true) {
          post({ script: text })
          return resolve({ element, post, remove: () => { remove(); holder.remove() } })
        }
        const end = typeof id === 'number' ? waiting.get(id) : undefined
        if (end !== undefined) end(typeof svg === 'string' ? sized(svg) : { problem: String(problem) })
      }
    })
    const { element, post, remove } = made
  })
}

/** Returns a drawing with the size in its view box, because a picture has no size where it is shown. */
function sized (svg: string): Drawn {
  const [, width, height] = /\bviewBox="[-\d.e]+ [-\d.e]+ ([\d.e]+) ([\d.e]+)"/.exec(svg.slice(0, 2_000)) ?? []
  const [wide, high] = [Number(width), Number(height)]
  if (!(wide > 0 && high > 0 && wide < 50_000 && high < 50_000)) return { problem: 'It has no size.' }
  const plain = svg.replace(/^<svg\b[^>]*>/, (tag) => tag.replace(/ (?:width|height)="[^"]*"/g, '').replace(/^<svg/, `<svg width="${wide}" height="${high}"`))
  return { svg: plain, width: Math.ceil(wide), height: Math.ceil(high) }
}

/** Returns the settings of the library with the app's present colours. A diagram's own settings cannot loosen `securityLevel`. */
function settingsOf (isDark: boolean): object {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  return {
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    maxTextSize: mostDiagramChars,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    fontFamily: 'system-ui, sans-serif',
    theme: 'base',
    themeVariables: {
      darkMode: isDark,
      background: colour('bg'),
      fontFamily: 'system-ui, sans-serif',
      fontSize: '14px',
      primaryColor: colour('accent-soft'),
      primaryTextColor: colour('text'),
      primaryBorderColor: colour('accent'),
      secondaryColor: colour('pick'),
      tertiaryColor: colour('rail'),
      lineColor: colour('muted'),
      textColor: colour('text'),
      noteBkgColor: colour('wait-soft'),
      noteTextColor: colour('text'),
      noteBorderColor: colour('wait-line'),
      edgeLabelBackground: colour('bg'),
      clusterBkg: colour('rail'),
      clusterBorder: colour('line'),
      titleColor: colour('text'),
      errorBkgColor: colour('bad-soft'),
      errorTextColor: colour('bad')
    }
  }
}
