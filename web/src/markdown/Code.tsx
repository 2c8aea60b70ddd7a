import { useMemo, useRef, useState } from 'preact/hooks'
import { Button } from '../ui/Button.js'
import { CopyButton } from '../ui/CopyButton.js'
import { Download, TextWrap } from '../ui/icons.js'
import { words } from '../words/index.js'
import { useColours } from './colours.js'
import './code.css'

export interface CodeProps {
  code: string
  /** As it was named behind the fence; empty without. */
  language?: string
  /** Nothing is added to it any more: it gets its colours. */
  closed: boolean
  /** What it is called when it is downloaded. */
  fileName?: string
}

/** Longer is folded to its first lines, while it is written as well, so that nothing moves when it is done. */
const foldedLines = 40
const fileEndings: Record<string, string> = {
  javascript: 'js', typescript: 'ts', python: 'py', bash: 'sh', shell: 'sh', markdown: 'md', csharp: 'cs', ruby: 'rb',
  rust: 'rs', kotlin: 'kt', yml: 'yaml', text: 'txt', mermaid: 'mmd'
}
/** Of a language that somebody may have made up. */
export const endingOf = (language: string): string => Object.hasOwn(fileEndings, language) ? fileEndings[language] ?? language : language

export function Code ({ code, language = '', closed, fileName }: CodeProps) {
  const [wrapped, setWrapped] = useState(false)
  const [whole, setWhole] = useState(false)
  const { fold, lines } = foldOf(code)
  const long = lines > foldedLines + 5
  const shown = long && !whole ? code.slice(0, fold) : code
  const coloured = useColours(shown, closed ? language : '')
  const { markdown, ui } = words.value
  const latest = useRef(code)
  latest.current = code
  // While it is written, the text alone is drawn anew.
  const head = useMemo(() => {
    const ending = /^[a-z0-9]{1,8}$/i.test(language) ? endingOf(language.toLowerCase()) : 'txt'
    return (
      <figcaption class='code-head'>
        <span class='code-language'>{language}</span>
        <Button kind='quiet' size='small' icon={TextWrap} label={markdown.wrap} pressed={wrapped} onClick={() => setWrapped(!wrapped)} />
        <Button
          kind='quiet' size='small' icon={Download} label={markdown.download}
          onClick={() => download(latest.current, fileName ?? `code.${ending}`)}
        />
        <CopyButton size='small' text={() => latest.current} />
      </figcaption>
    )
  }, [language, fileName, wrapped, markdown])
  return (
    <figure class='code' aria-label={language === '' ? markdown.code : markdown.codeIn(language)}>
      {head}
      <pre dir='ltr' class={wrapped ? 'code-text code-wrapped' : 'code-text'} tabIndex={0}><code>{coloured ?? shown}</code></pre>
      {long && (
        <Button kind='quiet' class='code-more' aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? ui.showLess : ui.showAll(lines)}
        </Button>
      )}
    </figure>
  )
}

/** Where the lines end that are shown at first, and how many there are. */
function foldOf (code: string): { fold: number, lines: number } {
  let lines = 1
  let fold = code.length
  for (let at = code.indexOf('\n'); at !== -1; at = code.indexOf('\n', at + 1)) if (lines++ === foldedLines) fold = at
  return { fold, lines }
}

function download (text: string, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }))
  link.download = name
  link.click()
  // A download that has begun is not disturbed by it.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
