import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { api } from '../app.js'
import { isMasked } from '../core/conversation/masked.js'
import { Button } from '../ui/Button.js'
import { Disclosure } from '../ui/Disclosure.js'
import { ErrorState } from '../ui/ErrorState.js'
import { TextArea } from '../ui/Field.js'
import { RotateCcwClock, Sparkles } from '../ui/icons.js'
import { Segmented } from '../ui/Segmented.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { bytesOf, createEditing, documentOf, type Document, type Editing, type Section } from './documents.js'
import { documents, isPlain, readMemory, showPlain } from './memory.js'
import { Facts } from './Facts.js'
import { Tidying } from './Tidying.js'
import { Versions } from './Versions.js'

/** Edits a document, fact by fact or as a whole, with its earlier versions and tidying up on request. */
export function DocumentEditor ({ section, document, maxBytes }: { section: Section, document: Document, maxBytes: number }) {
  const beside = useSignal<'versions' | 'tidy' | null>(null)
  const view = useSignal<'facts' | 'text'>(section === 'soul' ? 'text' : 'facts')
  const editing = useMemo(() => createEditing(api, section, document, async () => documentOf(await readMemory(), section)), [section])
  useEffect(() => editing.told(document), [document.version, document.text])
  const w = screenWords.value.memory
  if (document.path === '' && document.problem === null) {
    return <div class='memory-document'><p class='memory-about'>{w.about[section]}</p><p class='memory-off'>{w.off}</p></div>
  }
  const text = editing.text.value
  const bytes = bytesOf(text)
  const tooLong = bytes > maxBytes
  const write = async (): Promise<boolean> => {
    const isSaved = await editing.save()
    if (isSaved) await documents.refresh()
    return isSaved
  }
  const save = async (): Promise<void> => { if (await write()) toast(w.saved, { kind: 'good', about: 'memory' }) }
  const isChanged = editing.isChanged.value
  const example = text === ''
    ? <Button onClick={() => { view.value = 'text'; editing.type(w.examples[section]) }}>{w.useExample}</Button>
    : null
  const others = (
    <>
      {isChanged ? <Button onClick={() => editing.takeTheirs()}>{w.discard}</Button> : null}
      {example}
      <span class='memory-far' />
      <Button
        kind='quiet' icon={Sparkles} pressed={beside.value === 'tidy'} disabled={isChanged || text.trim() === ''}
        onClick={() => { beside.value = beside.value === 'tidy' ? null : 'tidy' }}
      >
        {w.tidy}
      </Button>
      <Button
        kind='quiet' icon={RotateCcwClock} pressed={beside.value === 'versions'}
        onClick={() => { beside.value = beside.value === 'versions' ? null : 'versions' }}
      >
        {w.versions}
      </Button>
    </>
  )
  return (
    <form
      class='memory-document' onSubmit={(event) => { event.preventDefault(); void save() }}
      onKeyDown={(event) => { if (event.key === 's' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); void save() } }}
    >
      <div class='memory-head'>
        <p class='memory-about'>{w.about[section]}</p>
        {section === 'soul'
          ? null
          : <Segmented
              label={w.view} chosen={view.value} onChoose={(key) => { view.value = key }}
              choices={[{ key: 'facts', text: w.views.facts }, { key: 'text', text: w.views.text }]}
            />}
      </div>
      {document.problem === null ? null : <ErrorState error={w.problem(document.problem)} onRetry={() => { void documents.refresh() }} />}
      <Masks isMasked={isMasked(text)} isChanged={isChanged} />
      <Conflict editing={editing} />
      {view.value === 'facts'
        ? <Facts section={section} version={document.version} editing={editing} onSave={write}>{others}</Facts>
        : (
          <>
            <TextArea
              label={w.names[section]} bare rows={10} mostRows={24} value={text}
              onValue={(typed) => editing.type(typed)} placeholder={w.examples[section]} dir='auto'
              class='memory-text' error={tooLong ? w.tooLong(bytes, maxBytes) : null}
            />
            <div class='memory-actions'>
              <Button
                kind='primary' type='submit' busy={editing.isBusy.value}
                disabled={!isChanged || tooLong || editing.conflict.value !== null}
              >
                {words.value.common.save}
              </Button>
              {others}
            </div>
          </>)}
      {editing.error.value === null
        ? null
        : <ErrorState error={editing.error.value} busy={editing.isBusy.value} onRetry={() => { void save() }} />}
      {view.value === 'text' ? <p class='memory-path'><bdi>{document.path}</bdi></p> : null}
      {beside.value === 'tidy' ? <Tidying section={section} onClose={() => { beside.value = null }} /> : null}
      {beside.value === 'versions' ? <Versions section={section} version={document.version} /> : null}
    </form>
  )
}

/** Reports that values are masked, and shows them on request; that would lose unsaved edits. */
export function Masks ({ isMasked, isChanged }: { isMasked: boolean, isChanged: boolean }) {
  const w = screenWords.value.memory
  if (!isMasked && !isPlain.value) return null
  return (
    <p class='memory-masked'>
      {isPlain.value ? w.plain : w.masked}{' '}
      <Button size='small' disabled={isChanged} onClick={() => { void showPlain(!isPlain.peek()) }}>
        {isPlain.value ? w.hideValues : w.showValues}
      </Button>
    </p>
  )
}

/** Shows both versions after someone else has saved, until the person decides. */
function Conflict ({ editing }: { editing: Editing }) {
  const w = screenWords.value.memory
  const theirs = editing.conflict.value
  if (theirs === null) return null
  const saveOver = async (): Promise<void> => { if (await editing.saveOver()) await documents.refresh() }
  return (
    <div class='memory-conflict' role='alert'>
      <p>{w.conflict}</p>
      <div class='memory-actions'>
        <Button busy={editing.isBusy.value} onClick={() => { void saveOver() }}>{w.keepMine}</Button>
        <Button onClick={() => editing.takeTheirs()}>{w.takeTheirs}</Button>
      </div>
      <Disclosure summary={w.theirs}>{() => <pre class='memory-theirs' tabIndex={0}>{theirs.text}</pre>}</Disclosure>
    </div>
  )
}
