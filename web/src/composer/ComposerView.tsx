import { useSignalEffect } from '@preact/signals'
import { type RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { navigate } from 'wouter-preact/use-browser-location'
import { prompts } from '../app.js'
import { parseCommand, type TypedCommand } from '../core/composer/commands.js'
import { denialNote, type WaitingApproval } from '../core/composer/denial-note.js'
import { type Notice } from '../core/conversation/conversation-state.js'
import { ApiError } from '../core/service/api.js'
import { type CommandOutcome } from '../core/composer/run-command.js'
import { type OpenChat } from '../conversation/open-chat.js'
import { announce } from '../ui/Announcer.js'
import { Button } from '../ui/Button.js'
import { Icon } from '../ui/Icon.js'
import { ArrowUp, Square } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { isPhone, isTouch } from '../ui/screen.js'
import { heightBelowToasts, toast } from '../ui/toasts.js'
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
const meaningId = 'composer-meaning'

/** The composer: the next message with its files and controls. It keeps what could not be sent. */
export function ComposerView ({ opened }: { opened: OpenChat }) {
  const { conversation, draft, attachments, composer } = opened
  const box = useRef<HTMLTextAreaElement>(null)
  const form = useRef<HTMLFormElement>(null)
  useDockedHeight(form)
  const denial = useMemo(() => denialNote({ prompts, sessionId: conversation.sessionId, draft }), [opened])
  useEffect(() => denial.stop, [denial])
  const suggestions = useSuggestions(opened, box)
  const recall = useRecall(opened)
  useSignalEffect(() => {
    const { value: notice } = conversation.notice
    if (notice !== null) announce(noticeText(notice))
  })

  async function submit (whileRunning: 'steer' | 'queue'): Promise<void> {
    recall.end()
    suggestions.close()
    const request = denial.request.peek()
    if (request !== null && whileRunning === 'steer' && parseCommand(draft.text.peek()) === null) return await deny(request)
    const outcome = await composer.submit({ whileRunning, run: async (typed) => await runTyped(suggestions, typed) })
    if (outcome === 'files-failed') toast(words.value.composer.filesFailed, { kind: 'bad', about: 'upload' })
  }

  /** Denies a request with the text in the box as a note. The note is sent first, so that the agent has it when it continues. */
  async function deny (request: WaitingApproval): Promise<void> {
    if (await composer.submit() !== 'steered') return
    try {
      if (await prompts.decide(request, 'deny') === 'late') toast(words.value.composer.denialLate, { about: 'prompt' })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      conversation.tell({ code: 'failed', message: words.value.composer.notDenied(error.message) })
    }
  }

  /** Adds the text in the box to the turn, without answering the request. */
  async function add (): Promise<void> {
    recall.end()
    await composer.submit()
    box.current?.focus()
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
  const hasText = draft.text.value.trim() !== ''
  const isNote = denial.request.value !== null && parseCommand(draft.text.value) === null
  const mode = conversation.mode.value
  const isRunning = mode === 'running' || mode === 'stopping'
  const w = words.value.composer
  return (
    <form class='composer' ref={form} onSubmit={(event) => { event.preventDefault(); void submit('steer') }}>
      {notice === null ? null : <p class='composer-note' id={noteId}>{noticeText(notice)}</p>}
      <Queued key={opened.key} opened={opened} />
      <div class='composer-box'>
        {completion === null ? null : <Suggestions completion={completion} onTake={(at) => suggestions.take(at)} />}
        {attachments.list.value.length === 0 ? null : <AttachedFiles opened={opened} />}
        <MessageBox
          opened={opened} box={box} suggestions={suggestions} recall={recall} isDenial={isNote}
          noteId={[notice === null ? '' : noteId, hasText && isRunning ? meaningId : ''].join(' ').trim() || undefined}
          onSubmit={(whileRunning) => { void submit(whileRunning) }}
        />
        {hasText && isRunning
          ? (
            <p class='composer-meaning' id={meaningId}>
              {!isNote ? w.addsNote : isTouch.value ? w.denialByTouch : w.denial}
              {isNote
                ? <Button kind='quiet' size='small' onClick={() => { void add() }}>{w.onlyAdd}</Button>
                : <Button kind='quiet' size='small' onClick={() => { void submit('queue') }}>{w.queue}</Button>}
            </p>
            )
          : null}
        <div class='composer-bar'>
          <Choose opened={opened} onCommand={begin} />
          <ComposerBar opened={opened} />
          <Voice opened={opened} />
          <RoundButton
            mode={mode} hasText={hasText} isDenial={isNote} hasFiles={attachments.list.value.length > 0}
            onStop={() => { void conversation.stop() }}
          />
        </div>
      </div>
    </form>
  )
}

async function runTyped (suggestions: ReturnType<typeof useSuggestions>, typed: TypedCommand): Promise<CommandOutcome> {
  try {
    return await (await suggestions.load()).run(typed, navigate)
  } catch (error) {
    // A part of the app may be missing, such as without a network: the person is told, and the typed text stays.
    console.warn(error)
    return { kind: 'refused', why: words.value.composer.partMissing }
  }
}

/**
 * Tells toasts the height of the composer at the bottom of the window; in a wide window, that of a start page is far above. A property of
 * the page, or a style sheet that asks what the page contains, would do too, but then each change has more of the page styled again.
 */
function useDockedHeight (form: RefObject<HTMLFormElement>): void {
  useLayoutEffect(() => {
    const { current: element } = form
    if (element === null) return
    const sizes = new ResizeObserver(() => {
      heightBelowToasts.value = isPhone.peek() || element.closest('[data-start]') === null ? element.offsetHeight : 0
    })
    sizes.observe(element, { box: 'border-box' })
    return () => {
      sizes.disconnect()
      heightBelowToasts.value = 0
    }
  }, [])
}

/** Chooses files, or takes a picture on a phone. */
function Choose ({ opened, onCommand }: { opened: OpenChat, onCommand: (name: string) => void }) {
  const files = useRef<HTMLInputElement>(null)
  const camera = useRef<HTMLInputElement>(null)
  const onChange = ({ currentTarget }: { currentTarget: HTMLInputElement }): void => {
    void takeFiles(opened, [...currentTarget.files ?? []])
    currentTarget.value = ''
  }
  return (
    <>
      <input ref={files} type='file' multiple hidden onChange={onChange} />
      {isTouch.value
        ? <input ref={camera} type='file' accept='image/*' capture='environment' hidden onChange={onChange} />
        : null}
      <MoreMenu
        opened={opened} onFiles={() => files.current?.click()} onCommand={onCommand}
        onCamera={isTouch.value ? () => camera.current?.click() : null}
      />
    </>
  )
}

/** Sends the message; while a turn runs, stops the turn, or adds to it if there is text. */
function RoundButton ({ mode, hasText, isDenial, hasFiles, onStop }: {
  mode: string
  hasText: boolean
  isDenial: boolean
  hasFiles: boolean
  onStop: () => void
}) {
  const w = words.value.composer
  const isRunning = mode === 'running' || mode === 'stopping'
  if (isRunning && !hasText) {
    return (
      <button
        type='button' class='composer-round composer-stop' aria-label={mode === 'stopping' ? w.stopping : w.stop}
        aria-disabled={mode === 'stopping' || undefined} onClick={onStop}
      >
        <Icon of={Square} size={12} />
      </button>
    )
  }
  return (
    <button
      type='submit' class='composer-round' aria-label={isDenial ? w.denyWithNote : isRunning ? w.addNote : w.send}
      aria-disabled={(!hasText && !hasFiles) || mode === 'sending' || undefined}
    >
      <Icon of={ArrowUp} size={18} />
    </button>
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
