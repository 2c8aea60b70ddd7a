import { useMemo, useState } from 'preact/hooks'
import { openChat } from '../conversation/open-chat.js'
import { download, endingOf, PlainCode } from '../markdown/Code.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { Download, Expand } from '../ui/icons.js'
import { Menu } from '../ui/Menu.js'
import { Segmented } from '../ui/Segmented.js'
import { words } from '../words/index.js'
import { titleOf, versionsOf, type ArtifactKind, type ArtifactProps } from './artifacts.js'
import { DiagramView } from './DiagramView.js'
import { FramedPage } from './FramedPage.js'
import { PictureView } from './PictureView.js'
import './artifact.css'

const types: Readonly<Record<ArtifactKind, string>> = { diagram: 'text/plain', picture: 'image/svg+xml', page: 'text/html' }

/**
 * Shows drawable content, drawn or as code. Pictures and diagrams are drawn at once; a page has scripts, so it is shown only when the
 * person asks for it.
 */
export function Artifact ({ kind, code: newest, language }: ArtifactProps) {
  const [isDrawn, setDrawn] = useState(kind !== 'page')
  const [isLarge, setLarge] = useState(false)
  const [chosen, setChosen] = useState<string | null>(null)
  // Why drawing failed; a reader who switches back sees it again.
  const [problem, setProblem] = useState<string | null>(null)
  const w = words.value.markdown
  const code = chosen ?? newest
  const title = titleOf(kind, code) ?? w.artifact.drawn[kind]
  const change = (act: () => void) => () => { setProblem(null); act() }
  const tools = useMemo(() => (
    <>
      <Versions kind={kind} code={newest} shown={code} onChoose={(version) => change(() => setChosen(version))()} />
      <Segmented
        label={w.artifact.shownAs} chosen={isDrawn && problem === null ? 'drawn' : 'code'}
        onChoose={(key) => change(() => setDrawn(key === 'drawn'))()}
        choices={[{ key: 'drawn', text: w.artifact.drawn[kind] }, { key: 'code', text: w.artifact.asCode }]}
      />
    </>
  ), [kind, newest, code, isDrawn, problem, w])
  if (!isDrawn || problem !== null) {
    return (
      <div class='artifact'>
        {problem === null ? null : <p class='artifact-note' role='note'>{problem}</p>}
        <PlainCode code={code} language={language} closed tools={tools} />
      </div>
    )
  }
  const drawn = (large: boolean) => (
    <Drawn key={code} kind={kind} code={code} title={title} isLarge={large} onProblem={setProblem} onStop={() => setDrawn(false)} />
  )
  return (
    <figure class='code artifact' aria-label={title}>
      <figcaption class='code-head'>
        <span class='code-language'>{title}</span>
        {tools}
        <Button kind='quiet' size='small' icon={Expand} label={w.artifact.open} onClick={() => setLarge(true)} />
        <Button
          kind='quiet' size='small' icon={Download} label={w.download}
          onClick={() => download(code, `${fileName(title)}.${endingOf(language.toLowerCase())}`, types[kind])}
        />
      </figcaption>
      {isLarge && kind === 'page' ? null : drawn(false)}
      <Dialog open={isLarge} onClose={() => setLarge(false)} title={title} size='full'>
        <div class='artifact-large'>{isLarge ? drawn(true) : null}</div>
      </Dialog>
    </figure>
  )
}

function Drawn ({ kind, code, title, isLarge, onProblem, onStop }: {
  kind: ArtifactKind
  code: string
  title: string
  isLarge: boolean
  onProblem: (why: string) => void
  onStop: () => void
}) {
  if (kind === 'page') return <FramedPage html={code} title={title} isLarge={isLarge} onStop={onStop} />
  if (kind === 'picture') return <PictureView svg={code} title={title} onProblem={onProblem} />
  return <DiagramView code={code} title={title} onProblem={onProblem} />
}

/** Offers earlier and later versions of an artifact, from the loaded part of the open conversation. */
function Versions ({ kind, code, shown, onChoose }: { kind: ArtifactKind, code: string, shown: string, onChoose: (code: string) => void }) {
  const w = words.value.markdown.artifact
  const exchanges = openChat.value?.conversation.transcript.exchanges.value
  const versions = useMemo(() => versionsOf(kind, code, (exchanges ?? []).flatMap(({ turn }) =>
    turn.parts.flatMap((part) => part.kind === 'text' ? [part.text] : []))), [kind, code, exchanges])
  if (versions.length < 2) return null
  return (
    <Menu
      label={w.versions} size='small'
      items={versions.map((version, index) => ({
        text: w.version(index + 1, versions.length), checked: version === shown, onPick: () => onChoose(version)
      }))}
    >
      {w.version(versions.indexOf(shown) + 1, versions.length)}
    </Menu>
  )
}

const fileName = (title: string): string => title.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '').slice(0, 60) || 'artifact'
