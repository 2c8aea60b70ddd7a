import { useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { type TypedCommand } from '../core/composer/commands.js'
import { type Notice } from '../core/conversation/conversation-state.js'
import { type CommandOutcome } from '../core/composer/run-command.js'
import { type Opened } from '../conversation/opened.js'
import { announce } from '../ui/Announcer.js'
import { Button } from '../ui/Button.js'
import { Icon } from '../ui/Icon.js'
import { ArrowUp, Plus, Square } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { isTouch } from '../ui/screen.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'
import { Voice } from '../voice/Voice.js'
import { ComposerBar } from './ComposerBar.js'
import { takeFiles } from './files.js'
import { MessageBox } from './MessageBox.js'
import { MoreMenu } from './MoreMenu.js'
import { Queued } from './Queued.js'
import { useRecall } from './use-recall.js'
import { useSuggestions } from './use-suggestions.js'
import './composer.css'

const nothing = { waiting: null, missing: () => null }
const AttachedFiles = lazy(async () => (await import('./AttachedFiles.js')).AttachedFiles, { waiting: null, isBrief: true })
const Suggestions = lazy(async () => (await import('./Suggestions.js')).Suggestions, nothing)

const noteId = 'composer-note'

/** The composer: the next message with its files, and what may go with it. It keeps what could not be sent. */
export function ComposerView ({ opened }: { opened: Opened }) {
  const { conversation, draft, attachments, composer } = opened
  const [, go] = useLocation()
  const box = useRef<HTMLTextAreaElement>(null)
  const suggestions = useSuggestions(opened, box)
  const recall = useRecall(opened)
  useSignalEffect(() => {
    const { value: notice } = conversation.notice
    if (notice !== null) announce(noticeText(notice))
  })

  async function run (typed: TypedCommand): Promise<CommandOutcome> {
    try {
      return await (await suggestions.load()).run(typed, go)
    } catch (error) {
      // Part of the app may be missing, such as without a network: the person is told, and what was typed stays.
      console.warn(error)
      return { kind: 'refused', why: words.value.composer.partMissing }
    }
  }

  async function submit (whileRunning: 'steer' | 'queue'): Promise<void> {
    recall.end()
    suggestions.close()
    const outcome = await composer.submit({ whileRunning, run })
    if (outcome === 'files-failed') toast(words.value.composer.filesFailed, { kind: 'bad', about: 'upload' })
  }

  /** Puts a command before the text in the box. */
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
    <form class='composer' onSubmit={(event) => { event.preventDefault(); void submit('steer') }}>
      {notice === null ? null : <p class='composer-note' id={noteId}>{noticeText(notice)}</p>}
      <Queued draft={draft} conversation={conversation} />
      <div class='composer-box'>
        {completion === null ? null : <Suggestions completion={completion} onTake={(at) => suggestions.take(at)} />}
        {attachments.list.value.length === 0 ? null : <AttachedFiles opened={opened} />}
        <MessageBox
          opened={opened} box={box} suggestions={suggestions} recall={recall} noteId={notice === null ? undefined : noteId}
          onSubmit={(whileRunning) => { void submit(whileRunning) }}
        />
        <div class='composer-bar'>
          <Choose opened={opened} onCommand={begin} />
          <ComposerBar opened={opened} />
          <Voice opened={opened} />
          <RoundButton
            mode={conversation.mode.value} hasText={draft.text.value.trim() !== ''} hasFiles={attachments.list.value.length > 0}
            onStop={() => { void conversation.stop() }}
            onQueue={() => { void submit('queue') }}
          />
        </div>
      </div>
    </form>
  )
}

/** Chooses files, or takes a picture on a phone. */
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

/** Sends; while a turn runs, stops it, or adds to it once something is typed. */
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
