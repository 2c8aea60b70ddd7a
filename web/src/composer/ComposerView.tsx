import { useSignalEffect } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { type TypedCommand } from '../core/composer/commands.js'
import { type Notice } from '../core/conversation/conversation-state.js'
import { promptHistory } from '../core/composer/drafts.js'
import { type CommandOutcome } from '../core/composer/run-command.js'
import { filesOf, isPasteOfFiles } from '../core/composer/uploads.js'
import { type Opened } from '../conversation/opened.js'
import { announce } from '../ui/Announcer.js'
import { Button } from '../ui/Button.js'
import { growWithText } from '../ui/Field.js'
import { Icon } from '../ui/Icon.js'
import { ArrowUp, Plus, Square } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { isTouch } from '../ui/screen.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'
import { Voice } from '../voice/Voice.js'
import { ComposerBar } from './ComposerBar.js'
import { takeFiles } from './files.js'
import { MoreMenu } from './MoreMenu.js'
import { Queued } from './Queued.js'
import { suggestionId, suggestionsId } from './suggestion-ids.js'
import { useSuggestions } from './use-suggestions.js'
import './composer.css'

const nothing = { waiting: null, missing: () => null }
const AttachedFiles = lazy(async () => (await import('./AttachedFiles.js')).AttachedFiles, { waiting: null, isBrief: true })
const Suggestions = lazy(async () => (await import('./Suggestions.js')).Suggestions, nothing)

/** The id of the box, for whoever gives it the focus. */
const boxId = 'message'

/** The box: what is said next. It holds what could not be sent, and nothing typed is lost. */
export function ComposerView ({ opened }: { opened: Opened }) {
  const { conversation, draft, attachments, composer } = opened
  const [, go] = useLocation()
  const box = useRef<HTMLTextAreaElement>(null)
  /** Which earlier message ↑ has brought; -1: what is being written. */
  const recalled = useRef(-1)
  const written = useRef('')
  const suggestions = useSuggestions(opened, box)
  const w = words.value.composer
  const mode = conversation.mode.value
  const text = draft.text.value
  const isRunning = mode === 'running' || mode === 'stopping'

  useLayoutEffect(() => { if (box.current !== null) growWithText(box.current, 1, 14) }, [text])
  useEffect(() => { if (!isTouch.peek()) box.current?.focus() }, [opened])
  useSignalEffect(() => {
    const { value: notice } = conversation.notice
    if (notice !== null) announce(noticeText(notice))
  })

  async function run (typed: TypedCommand): Promise<CommandOutcome> {
    try {
      return await (await suggestions.load()).run(typed, go)
    } catch (error) {
      // A part of the app that is not there, such as without a network, is told; what was typed stays.
      console.warn(error)
      return { kind: 'refused', why: words.value.composer.partMissing }
    }
  }

  async function submit (whileRunning: 'steer' | 'queue' = 'steer'): Promise<void> {
    recalled.current = -1
    suggestions.close()
    const outcome = await composer.submit({ whileRunning, run })
    if (outcome === 'files-failed') toast(words.value.composer.filesFailed, { kind: 'bad', about: 'upload' })
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
    // 229: Safari says the Enter that ends a composition after it, and no longer as a part of it.
    if (event.isComposing || event.keyCode === 229 || suggestions.key(event)) return
    if (event.key === 'Enter' && !event.shiftKey && (!isTouch.peek() || event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      void submit(event.altKey ? 'queue' : 'steer')
    } else if ((event.key === 'ArrowUp' || event.key === 'ArrowDown') && !event.shiftKey && !event.altKey &&
      !event.ctrlKey && !event.metaKey) {
      recall(event)
    }
  }

  /** What is in the box becomes what the command is about. */
  function begin (name: string): void {
    draft.write(`/${name} ${draft.text.peek().replace(/^\/\w+ ?/, '')}`)
    requestAnimationFrame(() => {
      box.current?.focus()
      box.current?.setSelectionRange(box.current.value.length, box.current.value.length)
    })
  }

  const notice = conversation.notice.value
  const { completion } = suggestions
  return (
    <form class='composer' onSubmit={(event) => { event.preventDefault(); void submit() }}>
      {notice === null ? null : <p class='composer-note' id='composer-note'>{noticeText(notice)}</p>}
      <Queued draft={draft} conversation={conversation} />
      <div class='composer-box'>
        {completion === null ? null : <Suggestions completion={completion} onTake={(at) => suggestions.take(at)} />}
        {attachments.list.value.length === 0 ? null : <AttachedFiles opened={opened} />}
        <textarea
          id={boxId} ref={box} rows={1} dir='auto' value={text} aria-label={w.box}
          aria-describedby={notice === null ? undefined : 'composer-note'}
          enterkeyhint={isTouch.value ? 'enter' : 'send'} aria-autocomplete='list'
          aria-controls={completion?.isOpen === true ? suggestionsId : undefined}
          aria-activedescendant={completion?.isOpen === true ? suggestionId(completion.active.value) : undefined}
          placeholder={isRunning ? w.placeholderRunning : w.placeholder}
          onInput={({ currentTarget }) => {
            recalled.current = -1
            draft.write(currentTarget.value)
            suggestions.look(currentTarget)
            if (conversation.notice.peek() !== null) conversation.tell(null)
          }}
          onSelect={({ currentTarget }) => suggestions.moved(currentTarget)}
          onBlur={() => suggestions.close()}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            if (event.clipboardData === null || !isPasteOfFiles(event.clipboardData)) return
            event.preventDefault()
            void takeFiles(opened, filesOf(event.clipboardData))
          }}
        />
        <div class='composer-bar'>
          <Choose opened={opened} onCommand={begin} />
          <ComposerBar opened={opened} />
          <Voice opened={opened} />
          <RoundButton
            mode={mode} hasText={text.trim() !== ''} hasFiles={attachments.list.value.length > 0}
            onStop={() => { void conversation.stop() }}
            onQueue={() => { void submit('queue') }}
          />
        </div>
      </div>
    </form>
  )
}

/** Files are chosen, or on a phone a picture is taken. */
function Choose ({ opened, onCommand }: { opened: Opened, onCommand: (name: string) => void }) {
  const files = useRef<HTMLInputElement>(null)
  const camera = useRef<HTMLInputElement>(null)
  const w = words.value.composer
  const onChange = ({ currentTarget }: { currentTarget: HTMLInputElement }): void => {
    void takeFiles(opened, [...currentTarget.files ?? []])
    currentTarget.value = ''
  }
  return (
    <>
      <input ref={files} type='file' multiple hidden onChange={onChange} />
      <Button kind='quiet' icon={Plus} label={w.attach} onClick={() => files.current?.click()} />
      {isTouch.value
        ? <input ref={camera} type='file' accept='image/*' capture='environment' hidden onChange={onChange} />
        : null}
      <MoreMenu opened={opened} onCommand={onCommand} onCamera={isTouch.value ? () => camera.current?.click() : null} />
    </>
  )
}

/** Send; or stop while it works and nothing is typed; or add to the turn when something is. */
function RoundButton ({ mode, hasText, hasFiles, onStop, onQueue }: {
  mode: string
  hasText: boolean
  hasFiles: boolean
  onStop: () => void
  onQueue: () => void
}) {
  const w = words.value.composer
  const isRunning = mode === 'running' || mode === 'stopping'
  if (isRunning && !hasText) {
    return (
      <button
        type='button' class='composer-round' aria-label={mode === 'stopping' ? w.stopping : w.stop}
        aria-disabled={mode === 'stopping' || undefined} onClick={onStop}
      >
        <Icon of={Square} size={14} />
      </button>
    )
  }
  return (
    <>
      {isRunning ? <Button kind='quiet' size='small' onClick={onQueue}>{w.queue}</Button> : null}
      <button
        type='submit' class='composer-round' aria-label={isRunning ? w.addNote : w.send}
        aria-disabled={(!hasText && !hasFiles) || mode === 'sending' || undefined}
      >
        <Icon of={ArrowUp} size={18} />
      </button>
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
