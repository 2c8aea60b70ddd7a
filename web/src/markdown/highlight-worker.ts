import { highlight, type Coloured } from './highlight.js'

export interface ToColour { id: number, code: string, language: string }
/** The highlighted code. `parts`: null if it gets no colours. */
export interface FromColour { id: number, parts: Coloured[] | null }

// Runs in a worker, because loading a language and highlighting a long text take time.
addEventListener('message', ({ data: { id, code, language } }: MessageEvent<ToColour>) => {
  const tell = (parts: Coloured[] | null): void => postMessage({ id, parts } satisfies FromColour)
  highlight(code, language).then(tell, () => tell(null))
})
