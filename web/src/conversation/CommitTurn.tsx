import { useEffect, useRef, useState } from 'preact/hooks'
import { filesToCommit, filesWritten } from '../core/turn/turn-files.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { type Exchange } from '../core/turn/exchange.js'
import { pathThere } from '../core/machines/location.js'
import { visible } from '../core/files/paths.js'
import { type GitFile } from '../core/files/repository.js'
import { useAction } from '../side/action.js'
import { openSide } from '../side/open.js'
import { type SideModel } from '../side/side-model.js'
import { announce } from '../ui/Announcer.js'
import { Button } from '../ui/Button.js'
import { TextArea } from '../ui/Field.js'
import { GitPullRequest, Sparkles } from '../ui/icons.js'
import { screenWords, words } from '../words/index.js'
import '../side/side.css'

// The panel's model of a folder is a chunk of its own, loaded on first use.
const { sideOf } = await import('../side/side-model.js')

interface Turned { exchange: Exchange, conversation: Conversation, sessionId: string }

/** Returns the files of a turn that differ from the last commit; undefined until git has answered. */
function useFiles ({ exchange, conversation, sessionId }: Turned): { model: SideModel, files: readonly GitFile[] | undefined } {
  const model = sideOf(sessionId)
  const { repository } = model
  const state = exchange.head.value.state
  // Another turn, or a person on another device, may have changed or committed them.
  useEffect(() => { void repository.look() }, [repository, state])
  if (repository.presence.value === 'unknown') return { model, files: undefined }
  return {
    model,
    files: filesToCommit(repository.status.value, filesWritten(exchange.turn.parts, pathThere(conversation.session.value?.workspace ?? '')))
  }
}

/** Offers a commit if the folder is a repository and has something to commit. */
export function CommitOffer ({ isOpen, onOpen, ...turned }: Turned & { isOpen: boolean, onOpen: () => void }) {
  const { files } = useFiles(turned)
  if (isOpen || files === undefined || files.length === 0 || turned.conversation.session.value?.read_only === true) return null
  return <Button kind='quiet' size='small' onClick={onOpen}>{words.value.conversation.commit}</Button>
}

/** Commits exactly the files of a turn, with a proposed message that can be edited. */
export function CommitForm ({
  isFocused, onDone, onClose, ...turned
}: Turned & { isFocused: boolean, onDone: (sha: string) => void, onClose: () => void }) {
  const { model, files } = useFiles(turned)
  const { exchange, conversation } = turned
  const [message, setMessage] = useState(() => model.turnMessages.get(exchange.key) ?? '')
  const [note, setNote] = useState<string | null>(null)
  const [action, writing] = [useAction(), useAction()]
  const { changes: w } = screenWords.value.files
  const c = screenWords.value.talk.commit
  const box = useRef<HTMLTextAreaElement>(null)
  // It does not take the focus when it is only scrolled back into view.
  useEffect(() => { if (isFocused) box.current?.focus({ preventScroll: true }) }, [])
  const type = (text: string): void => {
    setMessage(text)
    model.turnMessages.set(exchange.key, text)
  }
  const write = (): Promise<void> => writing.run('write', async () => {
    if (files === undefined || files.length === 0) return
    const { message: text, truncated, source } = await model.repository.writeMessageFor(files)
    // A message typed meanwhile takes precedence.
    if ((model.turnMessages.get(exchange.key) ?? '') !== '') return
    type(text)
    announce(text)
    setNote([source === 'summary' && w.bySummary, truncated && w.notAllRead].filter(Boolean).join(' ') || null)
  })
  const isKnown = files !== undefined
  useEffect(() => { if (isKnown && message === '') void write() }, [isKnown])
  const commit = (): Promise<void> => action.run('commit', async () => {
    if (files === undefined || message.trim() === '') return
    const sha = await model.repository.commitFiles(message.trim(), files)
    model.turnMessages.delete(exchange.key)
    onDone(sha)
    await model.changed()
  })
  const isRunning = conversation.running.value !== null
  const isNothing = isKnown && files.length === 0 && action.doing === null
  return (
    <form class='commit-turn' aria-label={words.value.conversation.commit} onSubmit={(event) => { event.preventDefault(); void commit() }}>
      <ul class='commit-turn-files'>{files?.map((file) => <CommittedFile key={file.path} file={file} />)}</ul>
      {isNothing ? <p class='exchange-event' role='status'>{w.refused.nothing_to_commit}</p> : null}
      <TextArea
        bare areaRef={box} label={w.message} placeholder={writing.doing === null ? w.messageHint : c.writing} rows={2}
        mostRows={8} value={message} onValue={type}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); void commit() }
        }}
      />
      {[writing.problem, action.problem].map((problem) => problem === null
        ? null
        : <p key={problem} class='exchange-problem' role='alert'>{problem}</p>)}
      {note === null ? null : <p class='exchange-event'>{note}</p>}
      {isRunning ? <p class='exchange-event'>{w.whileRunning}</p> : null}
      <div class='commit-turn-actions'>
        <Button
          kind='quiet' size='small' icon={Sparkles} busy={writing.doing !== null} disabled={isNothing || message !== ''}
          onClick={() => { void write() }}
        >
          {w.write}
        </Button>
        <Button size='small' class='commit-turn-end' onClick={onClose}>{words.value.common.cancel}</Button>
        <Button
          kind='primary' size='small' type='submit' busy={action.doing !== null}
          disabled={isRunning || !isKnown || isNothing || message.trim() === ''}
        >
          {c.files(files?.length ?? 0)}
        </Button>
      </div>
    </form>
  )
}

/** Leads on from a commit: to a new pull request for the branch, or to the existing one. Shows nothing if there can be none. */
export function AfterCommit ({ sessionId }: { sessionId: string }) {
  const { pulls } = sideOf(sessionId)
  useEffect(() => pulls.attend(), [pulls])
  const state = pulls.state.value.value
  const w = screenWords.value.pulls
  if (state === undefined || state.reason !== null || state.branch === null) return null
  const { pull, branch, repository } = state
  if (branch.name === repository?.default_branch) return null
  const open = (): void => {
    pulls.isWriting.value = pull === null
    openSide('changes')
  }
  return (
    <Button size='small' icon={GitPullRequest} onClick={open}>{pull === null ? w.open : `${w.title} #${pull.number}`}</Button>
  )
}

function CommittedFile ({ file: { workspace_path: path, status, untracked, conflict } }: { file: GitFile }) {
  const { states } = screenWords.value.files.changes
  const letter = untracked ? 'N' : conflict ? 'U' : status
  return (
    <li>
      <span class={`entry-mark entry-mark-${letter}`} role='img' aria-label={states[letter] ?? letter}>{letter}</span>{' '}
      <bdi>{visible(path)}</bdi>
    </li>
  )
}
