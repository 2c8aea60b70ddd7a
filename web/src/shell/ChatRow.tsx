import { prompts, sessions, unread } from '../app.js'
import { Elapsed } from '../conversation/Elapsed.js'
import { visible } from '../core/files/paths.js'
import { machineOf } from '../core/machines/location.js'
import { type Family, type Group } from '../core/sessions/row-groups.js'
import { type Row } from '../core/sessions/session-list.js'
import { running } from '../home/store.js'
import { Icon } from '../ui/Icon.js'
import { Link } from '../ui/Link.js'
import { Check, Ellipsis, GitFork, Hourglass, Pin } from '../ui/icons.js'
import { memo } from '../ui/react.js'
import { words } from '../words/index.js'
import { times } from '../words/times.js'
import { InPlaceName } from './InPlaceName.js'
import { chatTitle, ownTitle } from './chat-title.js'
import { places } from './places.js'
import { chosen, railMenu, renaming } from './rail-state.js'
import { waitingLine } from './waiting-line.js'

/** The state that a row shows beside its title. */
type State = 'waits' | 'parked' | 'works' | 'unread' | 'pinned' | null

interface ChatRowProps {
  row: Row
  /** The kind of its group, which decides whether the time alone is enough, without a date. */
  kind: Group['kind']
  isCurrent: boolean
  /** The day on which it is drawn: its time says more or less on another. */
  today: string
  /** Its level of indentation: in a project, or as a branch. */
  level?: number
  /** The chats that branched off it, and whether they are shown. */
  branches?: { count: number, isOpen: boolean, onToggle: () => void } | undefined
}

/** A chat in the list: one line, and a second one while it waits or works. Opening another chat redraws only the two rows concerned. */
const ChatRow = memo(function ChatRow ({ row, kind, isCurrent, level = 0, branches }: ChatRowProps) {
  const w = words.value.shell
  const { session_id: id } = row
  const waiting = prompts.of(id)[0]
  const isUnread = !isCurrent && unread.is(row)
  // A copy of this device cannot know whether a turn still runs.
  const isWorking = row.is_streaming && !sessions.isKept.value
  const state: State = waiting !== undefined || row.resumes_at === null
    ? 'waits'
    : row.resumes_at !== undefined ? 'parked' : isWorking ? 'works' : isUnread ? 'unread' : kind === 'pinned' ? 'pinned' : null
  const title = chatTitle(row.title)
  const isChosen = chosen.value.has(id)
  const renamed = renaming.value
  const machine = machineOf(row.workspace)
  const turn = isWorking ? running.value.get(id) : undefined
  const line = waiting !== undefined
    ? waitingLine(waiting)
    : row.resumes_at !== undefined
      ? w.atLimit(row.resumes_at === null ? null : times.at(row.resumes_at))
      : isWorking ? turn?.note ?? w.working : null
  return (
    <div
      class='rail-entry' data-chat={id} data-level={level === 0 ? undefined : level} data-unread={isUnread}
      data-chosen={isChosen || undefined}
    >
      {renamed?.of === 'chat' && renamed.id === id
        ? <InPlaceName name={ownTitle(row.title)} />
        : (
          <Link href={places.session(id)} class='rail-row' aria-current={isCurrent ? 'page' : undefined} draggable>
            <Mark state={isChosen ? 'chosen' : state} label={labelOf(state, waiting?.kind)} />
            <span class='rail-row-title' dir='auto'>
              {title}
              {isChosen ? <span class='visually-hidden'>{w.chosenMark}</span> : null}
            </span>
            <span class='rail-row-end'>
              {row.queued_count === undefined ? null : <QueuedCount count={row.queued_count} />}
              {branches !== undefined
                ? null
                : state === 'works'
                  ? turn === undefined ? null : <Elapsed sinceS={turn.started_at} />
                  : timeOf(waiting?.requestedAtS ?? row.last_message_at ?? row.updated_at, kind)}
            </span>
            {line === null && machine === null
              ? null
              : (
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
                )}
          </Link>
          )}
      {branches === undefined
        ? null
        : (
          <button
            type='button' class='rail-branches' aria-expanded={branches.isOpen} aria-label={w.branchesOf(branches.count, title)}
            onClick={() => branches.onToggle()}
          >
            <Icon of={GitFork} size={13} />{branches.count}
          </button>
          )}
      <button
        type='button' class='rail-entry-menu' aria-haspopup='menu' aria-label={w.actionsOf(title)}
        onClick={({ currentTarget }) => { railMenu.value = { of: 'chat', chat: row, anchor: { current: currentTarget } } }}
      >
        <Icon of={Ellipsis} />
      </button>
    </div>
  )
})

/** Shows how many messages wait in the queue of a chat. */
const QueuedCount = ({ count }: { count: number }) =>
  <span class='rail-row-queued' title={words.value.shell.queuedCount(count)}>
    <Icon of={Hourglass} size={11} /><span aria-hidden='true'>{count}</span>
    <span class='visually-hidden'>{words.value.shell.queuedCount(count)}</span>
  </span>

/** The chats of a family: the first one, and the others below it while they are shown. */
export function FamilyRows ({ family: { row, branches }, kind, path, level = 0, isOpen, onToggle }: {
  family: Family
  kind: Group['kind']
  path: string
  level?: number
  isOpen: boolean
  onToggle: () => void
}) {
  const isCurrent = ({ session_id: id }: Row): boolean => path === places.session(id)
  const today = new Date().toDateString()
  return (
    <>
      <ChatRow
        row={row} kind={kind} isCurrent={isCurrent(row)} today={today} level={level}
        branches={branches.length === 0 ? undefined : { count: branches.length, isOpen, onToggle }}
      />
      {isOpen
        ? branches.map((branch) => (
          <ChatRow key={branch.session_id} row={branch} kind={kind} isCurrent={isCurrent(branch)} today={today} level={level + 1} />
        ))
        : null}
    </>
  )
}

/** Formats the time of a row: below the heading of a day only the time of day. */
const timeOf = (seconds: number, kind: Group['kind']): string =>
  kind === 'today' || kind === 'yesterday' ? times.clock(seconds) : times.short(seconds)

function labelOf (state: State, kind: 'approval' | 'question' | undefined): string | undefined {
  const w = words.value.shell
  switch (state) {
    case 'waits': return kind === 'approval' ? w.wantsApproval : kind === 'question' ? w.asks : w.atLimit(null)
    case 'parked': return w.limit
    case 'works': return w.working
    case 'unread': return w.unread
    default: return undefined
  }
}

function Mark ({ state, label }: { state: State | 'chosen', label: string | undefined }) {
  if (state === 'chosen') return <span class='rail-chosen'><Icon of={Check} size={12} /></span>
  if (state === 'pinned') return <Icon of={Pin} />
  const said = label === undefined ? { 'aria-hidden': true as const } : { role: 'img' as const, 'aria-label': label }
  return <span class={`rail-state rail-state-${state ?? 'none'}`} {...said} />
}
