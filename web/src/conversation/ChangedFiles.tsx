import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Conversation } from '../core/conversation/conversation.js'
import { baseName, folderOf, visible, workspaceTop } from '../core/files/paths.js'
import { type FileChange } from '../core/turn/turn-changes.js'
import { type TurnDiff } from '../core/turn/turn-diff.js'
import { type Exchange } from '../core/turn/exchange.js'
import { useChangeKeys } from '../side/use-change-keys.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Icon } from '../ui/Icon.js'
import { ChevronRight, FileDiff } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { words } from '../words/index.js'
import { openChat, showFile } from './open-chat.js'

const TurnDifference = lazy(async () => (await import('./TurnDifference.js')).TurnDifference)
const SeenMark = lazy(async () => (await import('./TurnDifference.js')).SeenMark, { waiting: null, missing: () => null })
const TurnReview = lazy(async () => (await import('./TurnDifference.js')).TurnReview, { waiting: null, missing: () => null })

const filesAtFirst = 6

interface ChangedFilesProps {
  exchange: Exchange
  conversation: Conversation
  sessionId: string
  files: readonly FileChange[]
  isLast: boolean
  /** The changes of the turn; null: unknown, undefined: not loaded yet. */
  since: TurnDiff | null | undefined
  /** Reads the changes again. */
  onRead: () => void
  /** Restores files to their state before the turn. */
  onRestore: (paths: readonly string[]) => void
}

/** Lists the files of a turn. Each shows its diff, whose lines take comments. */
export function ChangedFiles ({ exchange, conversation, sessionId, files, isLast, since, onRead, onRestore }: ChangedFilesProps) {
  const list = useRef<HTMLUListElement>(null)
  const isWhole = useSignal(false)
  const prefix = `${exchange.key} diff `
  const unfolded = useSignal<ReadonlySet<string>>(new Set([...openChat.peek()?.unfolded ?? []].flatMap((name) =>
    name.startsWith(prefix) ? [name.slice(prefix.length)] : [])))
  const isRunning = conversation.running.value !== null
  const isReadOnly = conversation.session.value?.read_only === true
  const fixed = isRunning || isReadOnly || !isLast || since == null || since.to !== null
  // When another turn follows, the diff ends at the checkpoint of that turn, so it is read again.
  useEffect(() => { if (unfolded.peek().size > 0) onRead() }, [isLast])
  const unfold = (path: string, isOpen: boolean): void => {
    const next = new Set(unfolded.peek())
    next[isOpen ? 'add' : 'delete'](path)
    unfolded.value = next
    openChat.peek()?.unfolded[isOpen ? 'add' : 'delete'](prefix + path)
    if (isOpen) onRead()
  }
  useChangeKeys(list, {
    unfold,
    accept: (path) => {
      if (fixed) return
      void attempt(async () => await (await import('../side/side-model.js')).sideOf(sessionId).review.see(path, true))
    },
    giveBack: (path) => { if (!fixed) onRestore([path]) }
  })
  const w = words.value.conversation
  return (
    <>
      <ul ref={list} class='change-card-files'>
        {files.slice(0, isWhole.value ? Infinity : filesAtFirst).map((file) => {
          const { path } = file
          const isOpen = since !== null && unfolded.value.has(path)
          return (
            <li key={path} data-change={path}>
              <div class='change-card-line'>
                <Icon of={FileDiff} size={14} />
                <button
                  type='button' class='change-card-file' title={visible(path)} aria-expanded={since === null ? undefined : isOpen}
                  onClick={() => { if (since === null) showFile(path, null); else unfold(path, !isOpen) }}
                >
                  <bdi class='change-card-name'>{visible(baseName(path))}</bdi>
                  {folderOf(path) === workspaceTop ? null : <bdi class='change-card-folder'>{visible(folderOf(path))}</bdi>}
                </button>
                {isLast ? <SeenMark sessionId={sessionId} path={path} /> : null}
                <Numbers {...file} />
                {since === null ? null : <Icon of={ChevronRight} size={14} class={isOpen ? 'change-card-arrow change-card-arrow-open' : 'change-card-arrow'} />}
              </div>
              {isOpen
                ? <TurnDifference sessionId={sessionId} path={path} since={since} fixed={fixed} onRestore={onRestore} onChanged={onRead} />
                : null}
            </li>
          )
        })}
      </ul>
      {isWhole.value || files.length <= filesAtFirst
        ? null
        : (
          <Button kind='quiet' size='small' class='change-card-more' onClick={() => { isWhole.value = true }}>
            {w.moreFiles(files.length - filesAtFirst)}
          </Button>)}
      {isLast || unfolded.value.size > 0 ? <TurnReview sessionId={sessionId} /> : null}
    </>
  )
}

export function Numbers ({ added, removed }: { added: number | null, removed: number | null }) {
  if (added === null || removed === null || added + removed === 0) return null
  return (
    <span class='change-card-numbers'>
      {added === 0 ? null : <span class='change-card-added'>+{added}</span>}
      {removed === 0 ? null : <span class='change-card-removed'>−{removed}</span>}
    </span>
  )
}
