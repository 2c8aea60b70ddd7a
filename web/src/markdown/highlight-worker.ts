import { highlight, type Coloured } from './highlight.js'

export interface ToColour { id: number, code: string, language: string }
/** `parts`: null without colours. */
export interface FromColour { id: number, parts: Coloured[] | null }

// In a worker, as loading a language and highlighting a long text take long.
addEventListener('message', ({ data: { id, code, language } }: MessageEvent<ToColour>) => {
  const tell = (parts: Coloured[] | null): void => postMessage({ id, parts } satisfies FromColour)
  highlight(code, language).then(tell, () => tell(null))
})
