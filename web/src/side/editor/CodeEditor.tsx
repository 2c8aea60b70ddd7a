import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { type OpenedFile } from '../../core/files/opened-file.js'
import { baseName, visible } from '../../core/files/paths.js'
import { screenWords } from '../../words/index.js'
import { basics, language, phrases } from './extensions.js'
import { languageOf } from './languages.js'

/** The editor states of files, with their history: undo reaches back across saves and visits. */
const states = new WeakMap<OpenedFile, EditorState>()

/** Edits a text with line numbers, colours, search and undo. `line`: the line to start at. */
export function CodeEditor ({ opened, line }: { opened: OpenedFile, line: number | null }) {
  const host = useRef<HTMLDivElement>(null)
  const shown = useRef<EditorView | null>(null)
  const text = opened.edit.value?.text
  useLayoutEffect(() => {
    const element = host.current
    if (element === null) return
    // The editor adds its own styles. Only in a shadow tree does it use a constructed style sheet, which the page's content security policy
    // allows.
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const view = new EditorView({ state: states.get(opened) ?? stateOf(opened), root, parent: root })
    shown.current = view
    element.addEventListener('keydown', onKeyDown)
    view.focus()
    if (line !== null) reveal(view, line)
    void languageOf(opened.path).then((found) => {
      if (found !== null && shown.current === view) view.dispatch({ effects: language.reconfigure(found) })
    })
    return () => {
      states.set(opened, view.state)
      shown.current = null
      element.removeEventListener('keydown', onKeyDown)
      view.destroy()
    }
  }, [opened])
  // A change of the file by someone else, or one that was undone elsewhere, becomes a step of the history. Text typed since this was drawn
  // is already in the edit.
  useEffect(() => { if (shown.current !== null) replace(shown.current, opened.edit.peek()?.text) }, [text, opened])
  return <div ref={host} class='code-editor' />
}

function stateOf (opened: OpenedFile): EditorState {
  const { preview } = screenWords.value.files
  return EditorState.create({
    doc: opened.edit.peek()?.text ?? '',
    extensions: [
      basics(opened.path, opened.edit.peek()?.text ?? ''),
      phrases(preview.editor),
      EditorView.contentAttributes.of({
        'aria-label': preview.textOf(visible(baseName(opened.path))), 'aria-description': preview.leaveByTab
      }),
      EditorView.updateListener.of(({ docChanged, state }) => { if (docChanged) opened.type(state.doc.toString()) })
    ]
  })
}

/** Replaces only the part that differs, so that the selection and the scroll position stay. */
function replace (view: EditorView, text: string | undefined): void {
  const before = view.state.doc.toString()
  if (text === undefined || before === text) return
  const shorter = Math.min(before.length, text.length)
  let from = 0
  while (from < shorter && before[from] === text[from]) from++
  let tail = 0
  while (tail < shorter - from && before[before.length - 1 - tail] === text[text.length - 1 - tail]) tail++
  view.dispatch({ changes: { from, to: before.length - tail, insert: text.slice(from, text.length - tail) } })
}

function reveal (view: EditorView, line: number): void {
  const { from } = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)))
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
}

/**
 * Keeps keys that are text, or that the editor has used, from the page. Escape moves the focus from the editor to the panel around it;
 * another Escape closes that.
 */
function onKeyDown (event: KeyboardEvent): void {
  if (event.key === 'Escape' && !event.defaultPrevented && event.currentTarget instanceof HTMLElement) {
    event.preventDefault()
    event.currentTarget.closest<HTMLElement>('.preview')?.focus()
  }
  if (event.defaultPrevented || !(event.ctrlKey || event.metaKey)) event.stopPropagation()
}
