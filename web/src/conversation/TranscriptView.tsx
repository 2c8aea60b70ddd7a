import { useSignal, useSignalEffect } from '@preact/signals'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { Following } from '../core/screen/following.js'
import { type Waiting } from '../core/conversation/prompts.js'
import { SetupCard } from '../setup/SetupCard.js'
import { Button } from '../ui/Button.js'
import { Remembered } from '../ui/Disclosure.js'
import { ArrowDown } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { words } from '../words/index.js'
import { ExchangeView } from './ExchangeView.js'
import { type Opened } from './opened.js'
import { keepPlace, placeIn } from './reading-places.js'

const PromptCard = lazy(async () => (await import('../prompts/PromptCard.js')).PromptCard)
const Todos = lazy(async () => (await import('./Todos.js')).Todos, { waiting: null, missing: () => null, isBrief: true })

const scrollKeys: Readonly<Record<string, 'back' | 'on'>> = {
  PageUp: 'back', Home: 'back', ArrowUp: 'back', PageDown: 'on', End: 'on', ArrowDown: 'on'
}
/** As near to the top an earlier page is fetched. */
const nearTopPx = 600

/** Everything that was said, as far back as it was read, and what waits for the person. It stays at the end until the reader scrolls up. */
export function TranscriptView ({ opened, waiting }: { opened: Opened, waiting: readonly Waiting[] }) {
  const { conversation } = opened
  const scroller = useRef<HTMLDivElement>(null)
  const column = useRef<HTMLDivElement>(null)
  const following = useMemo(() => new Following(() => scroller.current), [conversation])
  /** Rows come in before the first one: the list keeps its place by counting from the end then. */
  const isPrepending = useSignal(false)
  const { transcript } = conversation
  const exchanges = transcript.exchanges.value

  const list = useRef<VirtualizerHandle>(null)
  const place = useMemo(() => placeIn(conversation.sessionId.peek() ?? '', exchanges[0]?.key, exchanges.length), [conversation])

  useLayoutEffect(() => {
    const view = scroller.current!
    if (place === null) following.toEnd()
    else {
      following.leave()
      view.scrollTop = place.top
    }
    const sizes = new ResizeObserver(() => following.grown())
    sizes.observe(column.current!)
    sizes.observe(view)
    return () => {
      sizes.disconnect()
      const [first] = transcript.exchanges.peek()
      const [id, handle] = [conversation.sessionId.peek(), list.current]
      if (id !== null) {
        keepPlace(
          id,
          following.is.peek() || first === undefined || handle === null
            ? null
            : { top: view.scrollTop, sizes: handle.cache, firstKey: first.key, count: transcript.exchanges.peek().length }
        )
      }
    }
  }, [following])
  // What the person has sent is what they want to see.
  useSignalEffect(() => { if (conversation.mode.value === 'sending') following.toEnd() })

  async function prepending (read: () => Promise<unknown>): Promise<void> {
    isPrepending.value = true
    try {
      await read()
    } finally {
      requestAnimationFrame(() => { isPrepending.value = false })
    }
  }

  async function readBack (): Promise<void> {
    if (!transcript.hasEarlier.peek() || conversation.isReadingBack.peek()) return
    await prepending(() => conversation.readEarlier())
  }

  useLayoutEffect(() => {
    opened.view = {
      conversation,
      scroller: () => scroller.current,
      readBackTo: (index) => prepending(() => conversation.readBackTo(index)),
      leaveEnd: () => following.leave(),
      scrollTo: (place) => list.current?.scrollToIndex(place, { align: 'start' })
    }
    return () => { opened.view = null }
  }, [following])

  const onScroll = (): void => {
    following.scrolled()
    if (!following.is.peek() && scroller.current!.scrollTop < nearTopPx) void readBack()
  }
  const w = words.value.conversation
  return (
    <Remembered.Provider value={opened.unfolded}>
      <div class='transcript-frame'>
        <div
          class='transcript' ref={scroller} tabIndex={0} role='log' aria-label={w.transcript} aria-live='off' onScroll={onScroll}
          onWheel={({ deltaY }) => following.moved(deltaY < 0 ? 'back' : 'on')}
          onTouchMove={() => following.moved('unknown')} onPointerDown={() => following.moved('unknown')}
          onPointerUp={() => following.rested()}
          onKeyDown={({ key, shiftKey, target }) => {
            if (target === scroller.current && key in scrollKeys) following.moved(scrollKeys[key]!)
            else if (target === scroller.current && key === ' ') following.moved(shiftKey ? 'back' : 'on')
          }}
        >
          <div class='transcript-column' ref={column}>
            {transcript.hasEarlier.value
              ? <Button kind='quiet' busy={conversation.isReadingBack.value} onClick={() => { void readBack() }}>{w.earlier}</Button>
              : null}
            {exchanges.length === 0 && conversation.mode.value === 'idle' ? <SetupCard conversation={conversation} /> : null}
            {exchanges.length === 0
              ? null
              : (
                <Virtualizer
                  ref={list} cache={place?.sizes} scrollRef={scroller} shift={isPrepending.value}
                  keepMounted={[exchanges.length - 1]}
                >
                  {exchanges.map((exchange, index) => (
                    <ExchangeView
                      key={exchange.key} exchange={exchange} conversation={conversation}
                      isLast={index === exchanges.length - 1}
                    />
                  ))}
                </Virtualizer>)}
            {waiting.length > 0 ? <PromptCard key={waiting[0]!.id} waiting={waiting[0]!} position={{ at: 1, of: waiting.length }} /> : null}

          </div>
        </div>
        {following.is.value
          ? null
          : <Button class='transcript-to-end' icon={ArrowDown} onClick={() => following.toEnd()}>{w.toEnd}</Button>}
        {conversation.todos.value === null ? null : <Todos conversation={conversation} />}
      </div>
    </Remembered.Provider>
  )
}
