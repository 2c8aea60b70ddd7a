import { type ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { screenWords } from '../words/index.js'

/** A part of a page: its heading, one sentence, and its controls. An address that names it scrolls it into view. */
export function Part ({ name, children }: { name: string, children: ComponentChildren }) {
  const element = useRef<HTMLElement>(null)
  const [label = name, note = ''] = screenWords.value.settings.keys[name] ?? []
  useEffect(() => { if (location.hash === `#${name}`) element.current?.scrollIntoView() }, [name])
  return (
    <section ref={element} class='settings-part' aria-labelledby={name}>
      <h3 id={name}>{label}</h3>
      {note === '' ? null : <p class='settings-note'>{note}</p>}
      {children}
    </section>
  )
}
