import { Link as RouteLink } from 'wouter-preact'
import { prompts, unread } from '../app.js'
import { machineOf } from '../core/machines/location.js'
import { visible } from '../core/files/paths.js'
import { type Row } from '../core/sessions/session-list.js'
import { foldedLine } from '../prompts/folding.js'
import { Dot } from '../ui/Badge.js'
import { words } from '../words/index.js'
import { places } from './places.js'

/** The shown properties of a chat; a search result has a preview instead of the last message. */
type ListedRow = Pick<Row, 'session_id' | 'title' | 'workspace' | 'is_streaming' | 'last_message_at'> & { preview?: string | null }

/** A chat in a list. `preview` replaces the last message. */
export function ChatRow ({ row, isCurrent, preview }: { row: ListedRow, isCurrent: boolean, preview?: string | undefined }) {
  const w = words.value.shell
  const waiting = prompts.of(row.session_id)[0]
  const isUnread = !isCurrent && unread.is(row)
  const state = waiting !== undefined ? 'waits' : row.is_streaming ? 'works' : null
  const machine = machineOf(row.workspace)
  const line = preview ??
    (waiting !== undefined
      ? (waiting.kind === 'approval' ? foldedLine(waiting.prompt) : waiting.prompt.form?.message ?? waiting.prompt.question)
      : row.is_streaming ? w.working : row.preview ?? '')
  return (
    <RouteLink href={places.session(row.session_id)} class='rail-row' aria-current={isCurrent ? 'page' : undefined} data-unread={isUnread}>
      <span class='rail-row-title'>
        <bdi>{row.title === '' ? w.untitled : row.title}</bdi>
        {isUnread ? <span class='visually-hidden'>{w.unread}</span> : null}
        {state === null
          ? null
          : <Dot
              kind={state === 'waits' ? 'wait' : 'accent'}
              label={state === 'works' ? w.working : waiting?.kind === 'approval' ? w.wantsApproval : w.asks}
            />}
      </span>
      <span class='rail-row-line'>
        {machine === null
          ? null
          : (
            <span class='rail-row-machine'>
              <span class='visually-hidden'>{words.value.common.machine}: </span>
              <bdi>{visible(machine)}</bdi>
            </span>
            )}
        <bdi>{line}</bdi>
      </span>
    </RouteLink>
  )
}
