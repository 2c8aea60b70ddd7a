import { type ComponentChildren, type ComponentType } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { artifactKind, type ArtifactProps } from '../frame/artifacts.js'
import { Button } from '../ui/Button.js'
import { CopyButton } from '../ui/CopyButton.js'
import { Download, TextWrap } from '../ui/icons.js'
import { words } from '../words/index.js'
import { useColours } from './colours.js'
import './code.css'

export interface CodeProps {
  code: string
  /** The language named after the fence; empty if there is none. */
  language?: string
  /** Whether the code is complete, so that it can be coloured. */
  closed: boolean
  /** Additional controls in its header. */
  tools?: ComponentChildren
}

let Loaded: ComponentType<ArtifactProps> | null = null

/** An artifact. Its component is loaded with the first one; until then, and if loading fails, the code is shown. */
function Artifact (props: ArtifactProps) {
  const [isThere, setThere] = useState(Loaded !== null)
  useEffect(() => {
    if (isThere) return
    let isOver = false
    import('../frame/Artifact.js').then(({ Artifact: loaded }) => {
      Loaded = loaded
      if (!isOver) setThere(true)
    }, () => {})
    return () => { isOver = true }
  }, [])
  return Loaded === null ? <PlainCode code={props.code} language={props.language} closed /> : <Loaded {...props} />
}

/** Longer code is collapsed to its first lines, even while it is being written, so that nothing moves at the end. */
const foldedLines = 40
const fileEndings: Record<string, string> = {
  javascript: 'js', typescript: 'ts', python: 'py', bash: 'sh', shell: 'sh', markdown: 'md', csharp: 'cs', ruby: 'rb',
  rust: 'rs', kotlin: 'kt', yml: 'yaml', text: 'txt', mermaid: 'mmd'
}
/** Returns the file extension of a language, which a model may have invented. */
export const endingOf = (language: string): string => Object.hasOwn(fileEndings, language) ? fileEndings[language] ?? language : language

/** Shows code; drawable code is drawn once it is complete. */
export function Code ({ code, language = '', closed }: CodeProps) {
  const kind = closed ? artifactKind(language) : null
  return kind === null || code.trim() === ''
    ? <PlainCode code={code} language={language} closed={closed} />
    : <Artifact kind={kind} code={code} language={language} />
}

export function PlainCode ({ code, language = '', closed, tools }: CodeProps) {
  const [wrapped, setWrapped] = useState(false)
  const [whole, setWhole] = useState(false)
  const { fold, lines } = foldOf(code)
  const long = lines > foldedLines + 5
  const shown = long && !whole ? code.slice(0, fold) : code
  const coloured = useColours(shown, closed ? language : '')
  const { markdown, ui } = words.value
  const latest = useRef(code)
  latest.current = code
  // While the code is being written, only the text is redrawn.
  const head = useMemo(() => {
    const ending = /^[a-z0-9]{1,8}$/i.test(language) ? endingOf(language.toLowerCase()) : 'txt'
    return (
      <figcaption class='code-head'>
        <span class='code-language'>{language === '' ? markdown.code : language}</span>
        {tools}
        <Button kind='quiet' size='small' icon={TextWrap} label={markdown.wrap} pressed={wrapped} onClick={() => setWrapped(!wrapped)} />
        <Button
          kind='quiet' size='small' icon={Download} label={markdown.download}
          onClick={() => download(latest.current, `code.${ending}`)}
        />
        <CopyButton size='small' text={() => latest.current} />
      </figcaption>
    )
  }, [language, wrapped, markdown, tools])
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

/** Returns the index at which the first lines end, and the number of all lines. */
function foldOf (code: string): { fold: number, lines: number } {
  let lines = 1
  let fold = code.length
  for (let at = code.indexOf('\n'); at !== -1; at = code.indexOf('\n', at + 1)) if (lines++ === foldedLines) fold = at
  return { fold, lines }
}

export function download (text: string, name: string, type = 'text/plain;charset=utf-8'): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  // Revoking the address does not interrupt a download in progress.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
