import { useEffect, useRef, useState } from 'preact/hooks'
import { type CallOutput } from '../core/turn/call-output.js'
import { hasEscapes } from '../core/screen/terminal-signs.js'
import { TerminalText, type Line, type Look } from '../core/screen/terminal-text.js'

type CreateLook = () => Look

let createLook: CreateLook | null = null

/** Renders a growing text as a terminal would; each part is parsed once. */
class Screen {
  #terminal: TerminalText
  #written = ''

  constructor (readonly create: CreateLook | null) {
    this.#terminal = this.#fresh()
  }

  show (text: string): { lines: Line[], dropped: number } {
    if (!text.startsWith(this.#written)) this.#terminal = this.#fresh()
    this.#terminal.write(text.slice(this.#written.length))
    this.#written = text
    return { lines: this.#terminal.lines, dropped: this.#terminal.dropped }
  }

  #fresh (): TerminalText {
    this.#written = ''
    return new TerminalText(this.create?.() ?? null)
  }
}

/** Returns the lines of an output, before and after its gap. They get colours once the code for colours is loaded. */
export function useTerminal ({ head, tail }: CallOutput): { head: Line[], tail: Line[] } {
  const [create, setCreate] = useState<CreateLook | null>(() => createLook)
  const screens = useRef<{ head: Screen, tail: Screen } | null>(null)
  const isColoured = create === null && (hasEscapes(head) || hasEscapes(tail))
  useEffect(() => {
    if (!isColoured) return
    let isGone = false
    // Without the code for colours, the text is plain.
    import('./sgr.js').then((loaded) => {
      createLook = loaded.createLook
      if (!isGone) setCreate(() => loaded.createLook)
    }, () => {})
    return () => { isGone = true }
  }, [isColoured])
  if (screens.current?.head.create !== create) screens.current = { head: new Screen(create), tail: new Screen(create) }
  return { head: screens.current.head.show(head).lines, tail: screens.current.tail.show(tail).lines }
}
