import { useSignal, useSignalEffect } from '@preact/signals'
import { ArrowUp, Plus, Square } from 'lucide-preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { type Submitted } from '../core/composer.js'
import { type Notice } from '../core/conversation-state.js'
import { promptHistory } from '../core/drafts.js'
import { type Opened } from '../conversation/opened.js'
import { announce } from '../ui/Announcer.js'
import { Button } from '../ui/Button.js'
import { growWithText } from '../ui/Field.js'
import { Icon } from '../ui/Icon.js'
import { isTouch } from '../ui/screen.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'
import { AttachedFiles } from './AttachedFiles.js'
import { ComposerBar } from './ComposerBar.js'
import { dropsFiles, pastedFiles } from './files.js'
import { Queued } from './Queued.js'
import './composer.css'

/** The id of the box, for whoever gives it the focus. */
export const boxId = 'message'

/** The box: what is said next. It holds what could not be sent, and nothing typed is lost. */
export function ComposerView ({ opened }: { opened: Opened }) {
  const { conversation, draft, attachments, composer } = opened
  const box = useRef<HTMLTextAreaElement>(null)
  const chooser = useRef<HTMLInputElement>(null)
  const isDropping = useSignal(false)
  /** Which earlier message ↑ has brought; -1: what is being written. */
  const recalled = useRef(-1)
  const written = useRef('')
  const w = words.value.composer
  const mode = conversation.mode.value
  const text = draft.text.value
  const isRunning = mode === 'running' || mode === 'stopping'
  const hasText = text.trim() !== ''

  useLayoutEffect(() => { if (box.current !== null) growWithText(box.current, 1, 14) }, [text])
  useEffect(() => { if (!isTouch.peek()) box.current?.focus() }, [opened])
  useSignalEffect(() => {
    const { value: notice } = conversation.notice
    if (notice !== null) announce(noticeText(notice))
  })

  async function submit (whileRunning: 'steer' | 'queue' = 'steer'): Promise<void> {
    recalled.current = -1
    const outcome: Submitted = await composer.submit({ whileRunning })
    if (outcome === 'files-failed') toast(words.value.composer.filesFailed, { kind: 'bad', about: 'upload' })
  }

  async function take (files: readonly File[]): Promise<void> {
    const { leftOut, error } = await attachments.add(files)
    if (leftOut > 0) toast(words.value.composer.leftOut(leftOut), { kind: 'bad', about: 'upload' })
    if (error !== null) toast(error.message, { kind: 'bad', about: 'upload' })
  }

  /** Earlier messages come into the box with ↑ at its beginning, and go again with ↓. */
  function recall (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): void {
    const { key, currentTarget: area } = event
    const isAtStart = area.selectionStart === 0 && area.selectionEnd === 0
    if (key === 'ArrowUp' ? !isAtStart && recalled.current === -1 && text !== '' : recalled.current === -1) return
    const earlier = promptHistory(conversation.transcript.exchanges.peek())
    const at = recalled.current + (key === 'ArrowUp' ? 1 : -1)
    if (at >= earlier.length) return
    event.preventDefault()
    if (recalled.current === -1) written.current = text
    recalled.current = at
    draft.write(at === -1 ? written.current : earlier[at]!)
  }

  function onKeyDown (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): void {
    if (event.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey && (!isTouch.peek() || event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      void submit(event.altKey ? 'queue' : 'steer')
    } else if ((event.key === 'ArrowUp' || event.key === 'ArrowDown') && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey) recall(event)
  }

  const notice = conversation.notice.value
  return (
    <form
      class='composer' data-dropping={isDropping.value || undefined} onSubmit={(event) => { event.preventDefault(); void submit() }}
      {...dropsFiles((files) => { void take(files) }, (isOver) => { isDropping.value = isOver })}
    >
      {notice === null ? null : <p class='composer-note' id='composer-note'>{noticeText(notice)}</p>}
      <Queued draft={draft} />
      <div class='composer-box'>
        <AttachedFiles attachments={attachments} />
        <textarea
          id={boxId} ref={box} rows={1} dir='auto' value={text} aria-label={w.box} aria-describedby={notice === null ? undefined : 'composer-note'} enterkeyhint={isTouch.value ? 'enter' : 'send'}
          placeholder={isRunning ? w.placeholderRunning : w.placeholder}
          onInput={({ currentTarget }) => { recalled.current = -1; draft.write(currentTarget.value); if (conversation.notice.peek() !== null) conversation.tell(null) }}
          onKeyDown={onKeyDown} onPaste={(event) => { const files = pastedFiles(event); if (files.length > 0) { event.preventDefault(); void take(files) } }}
        />
        <div class='composer-bar'>
          <input ref={chooser} type='file' multiple hidden onChange={({ currentTarget }) => { void take([...currentTarget.files ?? []]); currentTarget.value = '' }} />
          <Button kind='quiet' icon={Plus} label={w.attach} onClick={() => chooser.current?.click()} />
          <ComposerBar opened={opened} />
          <RoundButton mode={mode} hasText={hasText} hasFiles={attachments.list.value.length > 0} onStop={() => { void conversation.stop() }} onQueue={() => { void submit('queue') }} />
        </div>
      </div>
    </form>
  )
}

/** Send; or stop while it works and nothing is typed; or add to the turn when something is. */
function RoundButton ({ mode, hasText, hasFiles, onStop, onQueue }: { mode: string, hasText: boolean, hasFiles: boolean, onStop: () => void, onQueue: () => void }) {
  const w = words.value.composer
  const isRunning = mode === 'running' || mode === 'stopping'
  if (isRunning && !hasText) return <button type='button' class='composer-round' aria-label={mode === 'stopping' ? w.stopping : w.stop} aria-disabled={mode === 'stopping' || undefined} onClick={onStop}><Icon of={Square} size={14} /></button>
  return (
    <>
      {isRunning ? <Button kind='quiet' size='small' onClick={onQueue}>{w.queue}</Button> : null}
      <button type='submit' class='composer-round' aria-label={isRunning ? w.addNote : w.send} aria-disabled={(!hasText && !hasFiles) || mode === 'sending' || undefined}><Icon of={ArrowUp} size={18} /></button>
    </>
  )
}

function noticeText (notice: Notice): string {
  const w = words.value.composer
  switch (notice.code) {
    case 'failed': return notice.message
    case 'steer-refused': return w.steerRefused[notice.reason]
    case 'leftover': return w.leftover
    case 'already-running': return w.alreadyRunning
    case 'ending-already': return w.endingAlready
  }
}
