import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Completion, type Suggestion } from '../core/composer/completion.js'
import { announce } from '../ui/Announcer.js'
import { Icon } from '../ui/Icon.js'
import { Folder, FileText } from '../ui/icons.js'
import { screenWords } from '../words/index.js'
import { suggestionsId, suggestionId } from './suggestion-ids.js'
import './suggestions.css'

/** Lists completions of the word at the caret, above the box. The box keeps the focus. */
export function Suggestions ({ completion, onTake }: { completion: Completion, onTake: (at: number) => void }) {
  const list = useRef<HTMLUListElement>(null)
  const told = useRef(0)
  const suggestions = completion.suggestions
  const active = completion.active.value
  useEffect(() => { list.current?.children[active]?.scrollIntoView({ block: 'nearest' }) }, [active, suggestions])
  useSignalEffect(() => {
    const count = completion.suggestions.length
    if (count > 0 && told.current === 0) announce(screenWords.value.commands.offered(count))
    told.current = count
  })
  if (suggestions.length === 0) return null
  return (
    <ul
      ref={list} id={suggestionsId} class='suggestions' role='listbox' aria-label={screenWords.value.commands.list}
      onPointerDown={(event) => event.preventDefault()}
    >
      {suggestions.map((suggestion, at) => (
        <li
          key={suggestion.key} id={suggestionId(at)} role='option' aria-selected={at === active} class='suggestion'
          onPointerMove={(event) => { if (event.pointerType === 'mouse') completion.choose(at) }} onClick={() => onTake(at)}
        ><Shown suggestion={suggestion} />
        </li>
      ))}
    </ul>
  )
}

function Shown ({ suggestion: { kind, label, hint, about } }: { suggestion: Suggestion }) {
  const isFile = kind === 'file' || kind === 'folder'
  return (
    <>
      {isFile ? <Icon of={kind === 'folder' ? Folder : FileText} size={14} /> : null}
      <span class='suggestion-label'><bdi>{label}</bdi></span>
      {hint === '' ? null : <span class='suggestion-hint'>{hint}</span>}
      {about === '' ? null : <span class='suggestion-about'><bdi>{about}</bdi></span>}
    </>
  )
}
