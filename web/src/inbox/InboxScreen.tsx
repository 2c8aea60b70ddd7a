import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api, prompts, sessions } from '../app.js'
import { type Waiting } from '../core/conversation/prompts.js'
import { undecided } from '../home/store.js'
import { PromptCard } from '../prompts/PromptCard.js'
import { sayWaiting } from '../prompts/say.js'
import { Page } from '../shell/Page.js'
import { chatTitle } from '../shell/chat-title.js'
import { places } from '../shell/places.js'
import { announce } from '../ui/Announcer.js'
import { Link } from '../ui/Link.js'
import { attempt } from '../ui/attempt.js'
import { Kbd } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { EmptyState } from '../ui/EmptyState.js'
import { Inbox } from '../ui/icons.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords, words } from '../words/index.js'
import { nextCard } from './next-card.js'
import { WaitingRows } from './WaitingRows.js'
import './inbox.css'

/** Lists everything that waits for the person in all chats, the oldest first. */
export function InboxScreen () {
  const list = useRef<HTMLDivElement>(null)
  const waiting = prompts.waiting.value
  useFollowingFocus(list, waiting)
  useTellings(waiting)
  const w = screenWords.value.inbox
  const onKeyDown = (event: KeyboardEvent): void => {
    const { target } = event
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement) ||
      target.closest('input, textarea, select, pre, [role=group]') !== null) {
      return
    }
    const cards = cardsIn(list.current)
    const next = cards[nextCard(event.key, cards.findIndex((card) => card.contains(target)), cards.length) ?? -1]
    if (next === undefined) return
    event.preventDefault()
    goTo(next)
  }
  return (
    <Page title={words.value.shell.waiting}>
      <div class='inbox' ref={list} onKeyDown={onKeyDown}>
        {undecided.value.length === 0 ? null : <WaitingRows waiting={[]} title={w.limits} />}
        {waiting.length === 0 && undecided.value.length === 0 ? <NothingWaits /> : null}
        {waiting.length < 2 ? null : <p class='inbox-keys'>{w.keys(<Kbd>J</Kbd>, <Kbd>K</Kbd>)}</p>}
        {waiting.map((one) => <PromptCard key={one.id} waiting={one} listed among={waiting.length} chat={<ChatLink waiting={one} />} />)}
      </div>
    </Page>
  )
}

const ChatLink = ({ waiting }: { waiting: Waiting }) =>
  <Link href={places.session(waiting.sessionId)} class='inbox-chat'>
    <bdi>{chatTitle(waiting.sessionTitle)}</bdi>
  </Link>

function NothingWaits () {
  const [isBusy, setBusy] = useState(false)
  const w = screenWords.value.inbox
  // This device's copy of the list does not contain what waits.
  if (!sessions.isKnown.value || sessions.isKept.value) return <Skeleton />
  const tryIt = async (): Promise<void> => {
    setBusy(true)
    await attempt(async () => {
      const { session } = await api.post('/api/session/new', {})
      await api.postOnce('/api/chat/start', { session_id: session.session_id, message: w.exampleMessage })
    })
    setBusy(false)
  }
  return (
    <EmptyState icon={Inbox} title={w.empty} actions={<Button busy={isBusy} onClick={() => { void tryIt() }}>{w.example}</Button>}>
      {w.emptyText}
    </EmptyState>
  )
}

const cardsIn = (list: HTMLElement | null): HTMLElement[] => [...list?.querySelectorAll<HTMLElement>('[data-prompt]') ?? []]

function goTo (card: HTMLElement): void {
  card.focus({ preventScroll: true })
  card.scrollIntoView({ block: 'nearest' })
}

/** Moves the focus from a card that disappears to the one that takes its place; if there is none, to the page title. */
function useFollowingFocus (list: { current: HTMLDivElement | null }, waiting: readonly Waiting[]): void {
  const at = useRef(-1)
  useEffect(() => {
    const follow = ({ target }: FocusEvent): void => {
      at.current = cardsIn(list.current).findIndex((card) => target instanceof Node && card.contains(target))
    }
    document.addEventListener('focusin', follow)
    return () => document.removeEventListener('focusin', follow)
  }, [])
  useLayoutEffect(() => {
    if (at.current === -1 || (document.activeElement !== document.body && document.activeElement !== null)) return
    const cards = cardsIn(list.current)
    const next = cards[Math.min(at.current, cards.length - 1)]
    if (next !== undefined) goTo(next)
    else document.querySelector<HTMLElement>('.page-title')?.focus()
  }, [waiting])
}

/** Announces new cards to screen readers while the list is shown. */
function useTellings (waiting: readonly Waiting[]): void {
  const known = useRef<ReadonlySet<string> | null>(null)
  useEffect(() => {
    const before = known.current
    const fresh = before === null ? undefined : waiting.find(({ id }) => !before.has(id))
    known.current = new Set(waiting.map(({ id }) => id))
    if (fresh !== undefined) announce(sayWaiting(fresh))
  }, [waiting])
}
