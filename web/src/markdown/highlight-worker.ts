import { highlight, type Coloured } from './highlight.js'

export interface ToColour { id: number, code: string, language: string }
/** `parts`: null where there are no colours. */
export interface FromColour { id: number, parts: Coloured[] | null }

// Away from the page: a language takes long to get ready, and a long text to be looked through.
addEventListener('message', ({ data: { id, code, language } }: MessageEvent<ToColour>) => {
  const tell = (parts: Coloured[] | null): void => postMessage({ id, parts } satisfies FromColour)
  highlight(code, language).then(tell, () => tell(null))
})
