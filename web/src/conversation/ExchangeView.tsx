import { type Conversation } from '../core/conversation/conversation.js'
import { type Exchange, type ShownPart } from '../core/turn/exchange.js'
import { groupParts } from '../core/turn/part-groups.js'
import { retryLast } from '../core/conversation/resending.js'
import { isOngoing, type NotePart, type TextPart } from '../core/turn/turn.js'
import { Markdown } from '../markdown/Markdown.js'
import { Disclosure } from '../ui/Disclosure.js'
import { lazy } from '../ui/lazy.js'
import { memo } from '../ui/react.js'
import { words } from '../words/index.js'
import { AnswerActions } from './AnswerActions.js'
import { Elapsed } from './Elapsed.js'
import { giveBack, showFile } from './open-chat.js'
import { Pulse } from './Pulse.js'
import { Results } from './Results.js'
import { UserBubble } from './UserBubble.js'
import { WorkLine } from './WorkLine.js'

const ParkedCard = lazy(async () => (await import('./ParkedCard.js')).ParkedCard, {
  waiting: <div class='parked'>&nbsp;</div>
})
const CutRow = lazy(async () => (await import('./ProblemRow.js')).CutRow, {
  waiting: <p class='exchange-event'>&nbsp;</p>, missing: () => null
})
const ProblemRow = lazy(async () => (await import('./ProblemRow.js')).ProblemRow, {
  waiting: <div class='exchange-problem'>&nbsp;</div>,
  missing: (_, { problem }) => <div class='exchange-problem' role='note'><p lang='en'>{problem.message}</p></div>
})
const ChangeCard = lazy(async () => (await import('./ChangeCard.js')).ChangeCard, {
  waiting: <div class='change-card'>&nbsp;</div>, isBrief: true
})

interface Shown {
  exchange: Exchange
  conversation: Conversation
  isLast: boolean
  /** Whether a prompt card of the chat is shown below it. */
  isAsked: boolean
}

/** Shows a message and its answer. Finished parts are never drawn again. */
export const ExchangeView = memo(function ExchangeView ({ exchange, conversation, isLast, isAsked }: Shown) {
  const groups = groupParts(exchange.parts.value)
  const head = exchange.head.value
  const user = exchange.user.value
  const isRunning = isOngoing(head.state)
  const isWaiting = isRunning && (isAsked || exchange.isWaiting.value || head.parked !== null)
  const w = words.value.conversation
  const last = groups.at(-1)
  const { summary } = head
  const retry = (): void => { void retryLast(conversation).then((resent) => { if (resent !== null && !resent.isSent) giveBack(resent) }) }
  return (
    <section class='exchange' data-exchange={exchange.key} aria-busy={isRunning || undefined} data-state={head.state}>
      {user === null ? null : <UserBubble user={user} exchange={exchange} conversation={conversation} />}
      {groups.map((group, index) => group.kind === 'work'
        ? <WorkLine
            key={group.key} name={`${exchange.key} ${group.key}`} parts={group.parts}
            isRunning={isRunning && index === groups.length - 1} isWaiting={isWaiting}
          />
        : <Said key={group.key} shown={group.part} conversation={conversation} isRunning={isRunning} canGoOn={isLast && !isRunning} />)}
      {isRunning && !isWaiting && last?.kind !== 'work'
        ? (
          <p class='exchange-working'>
            <Pulse /> {w.working}
            {head.startedAtS === null ? null : <Elapsed sinceS={head.startedAtS} />}
          </p>
          )
        : null}
      {isRunning && head.parked !== null ? <ParkedCard parked={head.parked} conversation={conversation} /> : null}
      {summary === null
        ? null
        : (
          <div role='note' aria-label={w.summaryName} class='exchange-summary'>
            <Disclosure name={`${exchange.key} summary`} summary={w.summary}>{() => <Markdown text={summary} />}</Disclosure>
          </div>
          )}
      {head.problem === null
        ? null
        : <ProblemRow
            problem={head.problem}
            onRetry={isLast && !isRunning && user !== null && user.index !== null && conversation.session.value?.read_only !== true
              ? retry
              : null}
          />}
      {isRunning ? null : <Results exchange={exchange} conversation={conversation} />}
      {isRunning || exchange.work.value.filesChanged === 0
        ? null
        : <ChangeCard exchange={exchange} conversation={conversation} isLast={isLast} />}
      {isRunning ? null : <AnswerActions exchange={exchange} conversation={conversation} isLast={isLast} />}
    </section>
  )
})

function Said ({ shown, conversation, isRunning, canGoOn }: {
  shown: ShownPart
  conversation: Conversation
  isRunning: boolean
  canGoOn: boolean
}) {
  const part = shown.part.value
  // A note that the agent has not read yet is shown above the box, not below a growing text.
  if (part.kind === 'note') return isRunning && !part.isTaken ? null : <Note part={part} isRunning={isRunning} />
  return part.kind === 'text' ? <Text part={part} conversation={conversation} canGoOn={canGoOn} /> : null
}

function Text ({ part, conversation, canGoOn }: { part: TextPart, conversation: Conversation, canGoOn: boolean }) {
  const w = words.value.conversation
  const { cut } = part
  return (
    <article class='answer' aria-label={w.answer}>
      <Markdown text={part.text} live={part.isOpen} onFile={showFile} />
      {part.isPartial ? <p class='exchange-event'>{w.partial}</p> : null}
      {cut === null ? null : <CutRow cut={cut} onGoOn={canGoOn ? () => { void conversation.send({ text: 'continue' }) } : null} />}
    </article>
  )
}

function Note ({ part, isRunning }: { part: NotePart, isRunning: boolean }) {
  const w = words.value.conversation
  return (
    <div class='bubble bubble-note'>
      <p class='bubble-text' dir='auto'>{part.text}</p>
      <p class='bubble-mark'>{part.isTaken ? w.note : isRunning ? w.noteComing : w.noteLeft}</p>
    </div>
  )
}
