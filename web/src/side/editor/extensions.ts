import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import {
  EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers
} from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** Holds the language of the text, which is loaded separately. */
export const language = new Compartment()

/** Returns the texts of the search panel and of the editor's announcements, by their English originals. */
export const phrases = (words: Readonly<Record<string, string>>): Extension => EditorState.phrases.of(words)

/** Returns the extensions with which every text is edited. */
export function basics (path: string, text: string): Extension {
  return [
    lineNumbers(), highlightActiveLineGutter(), highlightActiveLine(), highlightSpecialChars(), history(), indentOnInput(),
    bracketMatching(), highlightSelectionMatches(), search({ top: true }), indentUnit.of(indentOf(text)), EditorState.tabSize.of(4),
    keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
    EditorView.contentAttributes.of({ spellcheck: 'false', autocorrect: 'off', autocapitalize: 'off' }),
    /\.(?:md|markdown|mdown|txt)$|^[^.]+$/i.test(path) ? EditorView.lineWrapping : [],
    language.of([]), syntaxHighlighting(colours), look
  ]
}

/** Returns the indentation with which most indented lines of a text begin: a tab, or two or four spaces. */
export function indentOf (text: string): string {
  const begins = text.slice(0, 20_000).match(/^(?:\t| {2,})/gm) ?? []
  if (begins.filter((begin) => begin === '\t').length * 2 > begins.length) return '\t'
  return begins.some((begin) => begin.length === 2) || begins.length === 0 ? '  ' : '    '
}

// The colours are those of code in answers (code.css).
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.tagName, tags.typeName, tags.className], color: 'var(--code-word)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.attributeName, tags.propertyName], color: 'var(--code-number)' },
  { tag: [tags.string, tags.regexp, tags.inserted, tags.attributeValue], color: 'var(--good)' },
  { tag: tags.deleted, color: 'var(--bad)' },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: 'var(--muted)' },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.link, tags.url], color: 'var(--accent)' },
  { tag: [tags.heading, tags.strong], fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' }
])

const soft = (colour: string, percent: number): string => `color-mix(in srgb, var(--${colour}) ${percent}%, transparent)`

const look = EditorView.theme({
  '&': { blockSize: '100%', background: 'var(--bg)', color: 'var(--text)', fontSize: 'calc(var(--t-ui) * 0.923)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.667', overscrollBehavior: 'contain' },
  '.cm-content': { paddingBlock: 'var(--s2)', caretColor: 'var(--accent)' },
  '.cm-line': { paddingInline: 'var(--s2) var(--s4)' },
  '.cm-content ::selection, .cm-line::selection': { background: soft('accent', 26) },
  '.cm-gutters': { background: 'var(--bg)', color: 'var(--muted)', border: '0' },
  '.cm-lineNumbers .cm-gutterElement': { minInlineSize: '4ch', padding: '0 1ch 0 var(--s2)' },
  '.cm-activeLine': { background: soft('text', 5) },
  '.cm-activeLineGutter': { background: 'transparent', color: 'var(--text)' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { background: 'var(--accent-soft)', outline: '1px solid var(--accent)' },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { background: 'var(--bad-soft)', color: 'var(--bad)' },
  '.cm-selectionMatch': { background: soft('text', 9) },
  '.cm-searchMatch': { background: 'var(--accent-soft)', outline: `1px solid ${soft('accent', 45)}` },
  '.cm-searchMatch-selected': { background: soft('accent', 40) },
  '.cm-panels': { background: 'var(--surface)', color: 'var(--text)', fontFamily: 'var(--sans)' },
  '.cm-panels.cm-panels-top': { borderBlockEnd: '1px solid var(--line)' },
  '.cm-panel.cm-search, .cm-panel.cm-gotoLine': {
    display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 'var(--s1) var(--s2)',
    padding: 'var(--s2) calc(var(--control) + var(--s2)) var(--s2) var(--s3)', fontSize: 'var(--t-ui)'
  },
  // The editor supports only one selection at a time.
  '.cm-panel.cm-search [name=select]': { display: 'none' },
  '.cm-panel.cm-search br': { flexBasis: '100%', content: '""' },
  '.cm-panel.cm-search label': { display: 'inline-flex', alignItems: 'center', gap: 'var(--s1)', margin: '0', fontSize: 'var(--t-ui)' },
  '.cm-panel.cm-search input[type=checkbox]': { margin: '0', accentColor: 'var(--accent)' },
  '.cm-textfield': {
    flex: '1 1 6.25rem', minInlineSize: '0', minBlockSize: 'var(--control)', margin: '0 !important', padding: '0 var(--s2)', border: '1px solid var(--edge)',
    borderRadius: 'var(--r1)', background: 'var(--surface)', color: 'var(--text)', font: 'inherit'
  },
  '.cm-textfield:focus': { borderColor: 'var(--accent)', outline: 'none', boxShadow: '0 0 0 3px var(--accent-soft)' },
  '.cm-button': {
    minBlockSize: 'var(--control)', margin: '0 !important', padding: '0 0.625rem', border: '1px solid var(--line)', borderRadius: 'var(--r1)',
    backgroundImage: 'none', background: 'var(--surface)', color: 'var(--text)', font: '500 var(--t-ui)/1.4 var(--sans)', cursor: 'pointer',
    '&:hover, &:active': { background: 'var(--hover)', backgroundImage: 'none' },
    '&:focus-visible': { outline: '2px solid var(--accent)', outlineOffset: '2px' }
  },
  '.cm-panel.cm-search [name=close], .cm-dialog-close': {
    position: 'absolute', insetBlockStart: 'var(--s2)', insetInlineEnd: 'var(--s1)', inset: 'var(--s2) var(--s1) auto auto',
    minInlineSize: 'var(--control)', minBlockSize: 'var(--control)', margin: '0', border: '0', borderRadius: 'var(--r1)', background: 'none',
    color: 'var(--muted)', fontSize: '1.125rem', cursor: 'pointer', '&:hover': { background: 'var(--hover)', color: 'var(--text)' }
  },
  '.cm-tooltip': { border: '1px solid var(--line)', borderRadius: 'var(--r1)', background: 'var(--surface)' }
})
