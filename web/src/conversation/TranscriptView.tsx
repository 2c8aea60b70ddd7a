import './conversation.css'
import { useSignal, useSignalEffect } from '@preact/signals'
import { type RefObject } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { Virtualizer, type CacheSnapshot, type VirtualizerHandle } from 'virtua'
import { Following } from '../core/screen/following.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { type Waiting } from '../core/conversation/prompts.js'
import { answeredLast } from '../prompts/answered.js'
import { isDemo } from '../setup/demo.js'
import { SetupCard, TourMore } from '../setup/lazy-cards.js'
import { Button } from '../ui/Button.js'
import { Remembered } from '../ui/Disclosure.js'
import { ArrowDown } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { words } from '../words/index.js'
import { ExchangeView } from './ExchangeView.js'
import { type OpenChat } from './open-chat.js'
import { keepPlace, placeIn } from './reading-places.js'
import { Quoting } from './Quoting.js'
import { readingView } from './reading-view.js'
import { takeArrival } from './versions.js'

const PromptCard = lazy(async () => (await import('../prompts/PromptCard.js')).PromptCard)
const AnsweredLine = lazy(async () => (await import('../prompts/AnsweredLine.js')).AnsweredLine, { waiting: null, missing: () => null })
const Todos = lazy(async () => (await import('./Todos.js')).Todos, { waiting: null, missing: () => null, isBrief: true })

const scrollKeys: Readonly<Record<string, 'back' | 'on'>> = {
  PageUp: 'back', Home: 'back', ArrowUp: 'back', PageDown: 'on', End: 'on', ArrowDown: 'on'
}
/** The distance from the top, in pixels, at which an earlier page is loaded. */
const nearTopPx = 600

/** The assumed height of an exchange until it is measured. A lower one has exchanges drawn that do not fit on the screen. */
const usualExchangePx = 240

/** The loaded part of the transcript, and the prompts that wait for the person. It stays at the end until the reader scrolls up. */
export function TranscriptView ({ opened, waiting }: { opened: OpenChat, waiting: readonly Waiting[] }) {
  const { conversation } = opened
  const { transcript } = conversation
  const scroller = useRef<HTMLDivElement>(null)
  const column = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const following = useMemo(() => new Following(() => scroller.current), [conversation])
  const sizes = useKeptPlace({ conversation, following, scroller, column, list })
  const earlier = useEarlier(conversation)
  // Once begun, the tour stays: it reports that a model was connected.
  const isTouring = useRef(false)
  if (isDemo.value === true) isTouring.current = true
  // A person who sends a message wants to see it.
  useSignalEffect(() => { if (conversation.mode.value === 'sending') following.toEnd() })
  useLayoutEffect(() => {
    opened.view = {
      conversation,
      scroller: () => scroller.current,
      readBackTo: earlier.readTo,
      leaveEnd: () => following.leave(),
      scrollTo: (place) => list.current?.scrollToIndex(place, { align: 'start' })
    }
    const arrival = takeArrival(conversation.sessionId.peek())
    if (arrival !== null) void readingView(opened.view).goTo(arrival, [], () => {})
    return () => { opened.view = null }
  }, [following])

  const onScroll = ({ currentTarget: { scrollTop } }: { currentTarget: HTMLElement }): void => {
    following.scrolled()
    if (!following.is.peek() && scrollTop < nearTopPx) void earlier.read()
  }
  const onKeyDown = ({ key, shiftKey, target, currentTarget }: KeyboardEvent): void => {
    const direction = key === ' ' ? (shiftKey ? 'back' : 'on') : scrollKeys[key]
    if (target === currentTarget && direction !== undefined) following.moved(direction)
  }
  const exchanges = transcript.exchanges.value
  const [first] = waiting
  const w = words.value.conversation
  return (
    <Remembered.Provider value={opened.unfolded}>
      <div class='transcript-frame'>
        <div
          class='transcript' ref={scroller} tabIndex={0} role='log' aria-label={w.transcript} aria-live='off' onScroll={onScroll}
          onWheel={({ deltaY }) => following.moved(deltaY < 0 ? 'back' : 'on')}
          onTouchMove={() => following.moved('unknown')} onPointerDown={() => following.moved('unknown')}
          onPointerUp={() => following.rested()} onKeyDown={onKeyDown}
        >
          <div class='transcript-column' ref={column}>
            {transcript.hasEarlier.value
              ? <Button kind='quiet' busy={conversation.isReadingBack.value} onClick={() => { void earlier.read() }}>{w.earlier}</Button>
              : null}
            {exchanges.length > 0
              ? (
                <Virtualizer
                  ref={list} cache={sizes} scrollRef={scroller} shift={earlier.isPrepending.value} keepMounted={[exchanges.length - 1]}
                  itemSize={usualExchangePx} onResize={() => following.grown()}
                >
                  {exchanges.map((exchange, index) => (
                    <ExchangeView
                      key={exchange.key} exchange={exchange} conversation={conversation} isLast={index === exchanges.length - 1}
                      isAsked={first !== undefined && index === exchanges.length - 1}
                    />
                  ))}
                </Virtualizer>)
              : conversation.mode.value === 'idle' ? <SetupCard conversation={conversation} /> : null}
            <Answered conversation={conversation} />
            {exchanges.length === 0 || !isTouring.current ? null : <TourMore conversation={conversation} />}
            {first === undefined ? null : <PromptCard key={first.id} waiting={first} position={{ at: 1, of: waiting.length }} />}
          </div>
        </div>
        <Quoting within={scroller} />
        {following.is.value
          ? null
          : <Button class='transcript-to-end' icon={ArrowDown} onClick={() => following.toEnd()}>{w.toEnd}</Button>}
        {conversation.todos.value === null ? null : <Todos conversation={conversation} />}
      </div>
    </Remembered.Provider>
  )
}

/** The line that replaces the last answered card of the running turn; after the turn, its steps show the same. */
function Answered ({ conversation }: { conversation: Conversation }) {
  const card = answeredLast.value
  return card === null || card.waiting.sessionId !== conversation.sessionId.value || conversation.running.value === null
    ? null
    : <AnsweredLine key={card.waiting.id} card={card} />
}

/**
 * Starts at the position where the chat was left, or at its end, and stores the position when it is left again. Returns the sizes that were
 * measured at that time.
 */
function useKeptPlace ({ conversation, following, scroller, column, list }: {
  conversation: Conversation
  following: Following
  scroller: RefObject<HTMLElement>
  column: RefObject<HTMLElement>
  list: RefObject<VirtualizerHandle>
}): CacheSnapshot | undefined {
  const { exchanges } = conversation.transcript
  const place = useMemo(() => {
    const shown = exchanges.peek()
    return placeIn(conversation.sessionId.peek() ?? '', shown[0]?.key, shown.length)
  }, [conversation])
  useLayoutEffect(() => {
    const view = scroller.current
    if (view === null) return
    if (place === null) following.toEnd()
    else {
      following.leave()
      view.scrollTop = place.top
    }
    // An empty chat starts at its top.
    const sizes = new ResizeObserver(() => { if (exchanges.peek().length > 0) following.grown() })
    for (const element of [column.current, view]) if (element !== null) sizes.observe(element)
    return () => {
      sizes.disconnect()
      const { length: count, 0: first } = exchanges.peek()
      const [id, handle] = [conversation.sessionId.peek(), list.current]
      if (id === null) return
      const isAtEnd = following.is.peek() || first === undefined || handle === null
      keepPlace(id, isAtEnd ? null : { top: view.scrollTop, sizes: handle.cache, firstKey: first.key, count })
    }
  }, [following])
  return place?.sizes
}

/**
 * Loads earlier messages. `isPrepending`: rows are being added before the first one, so the list keeps its position by counting from the
 * end.
 */
function useEarlier (conversation: Conversation) {
  const isPrepending = useSignal(false)
  async function prepend (read: () => Promise<unknown>): Promise<void> {
    isPrepending.value = true
    try {
      await read()
    } finally {
      requestAnimationFrame(() => { isPrepending.value = false })
    }
  }
  return {
    isPrepending,
    async read (): Promise<void> {
      if (!conversation.transcript.hasEarlier.peek() || conversation.isReadingBack.peek()) return
      await prepend(() => conversation.readEarlier())
    },
    readTo: (index: number): Promise<void> => prepend(() => conversation.readBackTo(index))
  }
}
