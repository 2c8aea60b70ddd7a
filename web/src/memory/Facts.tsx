import { useSignal } from '@preact/signals'
import { type ComponentChildren } from 'preact'
import { api } from '../app.js'
import { Markdown } from '../markdown/Markdown.js'
import { Button } from '../ui/Button.js'
import { TextArea } from '../ui/Field.js'
import { Pencil, Plus, Trash } from '../ui/icons.js'
import { toast } from '../ui/toasts.js'
import { useReading } from '../ui/use-reading.js'
import { screenWords, words } from '../words/index.js'
import { times } from '../words/times.js'
import { type Editing, type Section } from './documents.js'
import { rowsOf, withFact, withRow, type Row } from './facts.js'
import { readOrigins, type Origin } from './origins.js'

/** How many rows are drawn at first; more are drawn on request. */
const mostRows = 200

export interface FactsProps {
  section: Section
  version: string
  editing: Editing
  /** Saves the edit; resolves with whether it is saved. */
  onSave: () => Promise<boolean>
  /** Further actions, beside the button that adds a fact. */
  children?: ComponentChildren
}

/** A document with one fact per row, each with its origin, to be edited or forgotten. */
export function Facts ({ section, version, editing, onSave, children }: FactsProps) {
  const edited = useSignal<number | 'new' | null>(null)
  const origins = useReading(async () => await readOrigins(api, section), [section], [version])
  const w = screenWords.value.memory
  const text = editing.text.value
  const rows = rowsOf(text)
  const isAll = useSignal(false)
  const shown = isAll.value ? rows : rows.slice(0, mostRows)
  const write = async (next: string): Promise<boolean> => {
    editing.type(next)
    const isSaved = await onSave()
    if (isSaved) edited.value = null
    return isSaved
  }
  const forget = async (row: Row): Promise<void> => {
    if (await write(withRow(text, row, null))) {
      toast(w.forgotten, { about: 'memory', action: { text: words.value.common.undo, onPick: () => { void write(text) } } })
    }
  }
  return (
    <>
      {rows.length === 0 ? <p class='memory-about'>{w.noFacts}</p> : null}
      <ul class='memory-facts'>
        {shown.map((row) => row.kind === 'heading'
          ? <li key={row.from} class='memory-heading'><h2><bdi>{row.text}</bdi></h2></li>
          : (
            <li key={row.from} class='memory-fact'>
              {edited.value === row.from
                ? <FactEditor
                    first={row.text} busy={editing.isBusy.value} onCancel={() => { edited.value = null }}
                    onSave={(typed) => { void write(withRow(text, row, typed)) }}
                  />
                : (
                  <>
                    <div class='memory-fact-text'>
                      <Markdown text={row.text} headingLevel={3} />
                      <FactOrigin origin={origins.value.value?.get(row.text)} />
                    </div>
                    <Button kind='quiet' size='small' icon={Pencil} label={w.editFact} onClick={() => { edited.value = row.from }} />
                    <Button kind='quiet' size='small' icon={Trash} label={w.forget} onClick={() => { void forget(row) }} />
                  </>)}
            </li>))}
      </ul>
      {shown.length === rows.length
        ? null
        : <div><Button kind='quiet' onClick={() => { isAll.value = true }}>{w.moreFacts(rows.length - shown.length)}</Button></div>}
      {edited.value === 'new'
        ? <FactEditor
            first='' busy={editing.isBusy.value} onCancel={() => { edited.value = null }}
            onSave={(typed) => { void write(withFact(text, typed)) }}
          />
        : null}
      <div class='memory-actions'>
        {edited.value === 'new' ? null : <Button icon={Plus} onClick={() => { edited.value = 'new' }}>{w.addFact}</Button>}
        {children}
      </div>
    </>
  )
}

function FactOrigin ({ origin }: { origin: Origin | undefined }) {
  if (origin === undefined) return null
  const w = screenWords.value.memory
  const at = times.at(origin.created_at)
  return <p class='memory-origin'>{w.authors[origin.author]} · {origin.isOlder ? w.olderThan(at) : at}</p>
}

function FactEditor ({ first, busy, onSave, onCancel }: {
  first: string
  busy: boolean
  onSave: (text: string) => void
  onCancel: () => void
}) {
  const typed = useSignal(first)
  const w = screenWords.value.memory
  const isReady = typed.value.trim() !== '' && typed.value !== first
  const save = (): void => { if (isReady && !busy) onSave(typed.value) }
  return (
    <div
      class='memory-fact-editor'
      onKeyDown={(event) => {
        if (event.key === 'Escape') { event.stopPropagation(); onCancel() }
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
        event.preventDefault()
        save()
      }}
    >
      <TextArea
        label={w.fact} bare autofocus rows={1} value={typed.value} dir='auto' placeholder={w.factPlaceholder}
        onValue={(text) => { typed.value = text }}
      />
      <Button kind='primary' busy={busy} disabled={!isReady} onClick={save}>{words.value.common.save}</Button>
      <Button onClick={onCancel}>{words.value.common.cancel}</Button>
    </div>
  )
}
