import { type ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type ShownPart } from '../core/turn/exchange.js'
import { isMasked } from '../core/conversation/masked.js'
import { workOfGroup } from '../core/turn/part-groups.js'
import { type Part, type WorkSummary } from '../core/turn/turn.js'
import { Markdown } from '../markdown/Markdown.js'
import { Disclosure, useBeginsOpen } from '../ui/Disclosure.js'
import { lazy } from '../ui/lazy.js'
import { words } from '../words/index.js'
import { CallCard } from './CallCard.js'
import { LazyEventText } from './LazyEventText.js'
import { Elapsed } from './Elapsed.js'
import { LazyOutput } from './LazyOutput.js'
import { Pulse } from './Pulse.js'

const CallViews = lazy(async () => (await import('../frame/CallViews.js')).CallViews, { waiting: null, missing: () => null, isBrief: true })

/** Shows the agent's work in one line that expands; while the agent works, the line shows the current step and its output. */
export function WorkLine ({ name, parts, isRunning, isWaiting }: {
  name: string
  parts: readonly ShownPart[]
  isRunning: boolean
  isWaiting: boolean
}) {
  const shown = parts.map(({ part }) => part.value)
  const last = shown.at(-1)
  const since = last?.kind === 'call' && last.state === 'running' && !isWaiting ? last.startedAtS : null
  const [isOpen, setOpen] = useState(useBeginsOpen(name))
  // A call that waits has a card below, which shows everything about it.
  const done = isWaiting ? shown.filter((part) => part.kind !== 'call' || part.state !== 'waiting') : shown
  const printing = isRunning && !isOpen
    ? shown.findLast((part) => part.kind === 'call' && part.state === 'running' && part.output !== null)
    : undefined
  const ofServers = shown.filter((part) => part.kind === 'call').filter(({ name, state }) => state === 'done' && name.startsWith('mcp__'))
  if (done.length === 0) return null
  const summary = isRunning && !isWaiting ? null : summaryOf(workOfGroup(done), done)
  // Nothing but notices, such as a second try: they are what there is to read, until a card says what the turn waits for.
  if (summary === '') {
    if (isWaiting) return null
    return <div class='work-frame'>{done.map((part, at) => part.kind === 'event' ? <p key={at} class='exchange-event'><LazyEventText part={part} /></p> : null)}</div>
  }
  const line = (
    <Disclosure
      class='work' name={name} onToggle={setOpen}
      summary={(
        <span class='work-line'>
          {summary === null
            ? (
              <>
                <Pulse />
                <span class='work-now'>{nowOf(shown)}</span>
                {since === null ? null : <Elapsed sinceS={since} />}
              </>
              )
            : summary}
        </span>
      )}
    >
      {() => <div class='work-parts'>{parts.map((part) => <WorkPart key={part.key} name={`${name} ${part.key}`} shown={part} />)}</div>}
    </Disclosure>
  )
  return (
    <div class='work-frame'>
      {line}
      {printing?.kind !== 'call' || printing.output === null
        ? null
        : <LazyOutput key={printing.key} output={printing.output} isBrief />}
      {ofServers.length === 0 ? null : <CallViews calls={ofServers} />}
    </div>
  )
}

function WorkPart ({ name, shown }: { name: string, shown: ShownPart }) {
  const part = shown.part.value
  if (part.kind === 'call') return <CallCard name={name} call={part} />
  if (part.kind === 'event') return <p class='exchange-event'><LazyEventText part={part} /></p>
  if (part.kind !== 'reasoning') return null
  return <div class='work-reasoning'><h3>{words.value.conversation.thought}</h3><Markdown text={part.text} live={part.isOpen} /></div>
}

/** How long a command that the line names may be, in characters. */
const mostNamedChars = 40

/** Returns a text such as "Read 4 files, ran npm test · 41 s". */
function summaryOf (work: WorkSummary, parts: readonly Part[]): string {
  const w = words.value.conversation
  const commands = parts.flatMap((part) => part.kind === 'call' && part.name === 'terminal' ? [String(part.args.command ?? '')] : [])
  const [only] = commands
  const named = commands.length === 1 && only !== undefined && only.length <= mostNamedChars && !only.includes('\n') && !isMasked(only)
  const counts = [
    work.filesRead > 0 ? w.work.filesRead(work.filesRead) : null,
    work.searches > 0 ? w.work.searches(work.searches) : null,
    work.pages > 0 ? w.work.pages(work.pages) : null,
    work.plans > 0 ? w.work.plan : null,
    work.filesChanged > 0 ? w.work.filesChanged(work.filesChanged) : null,
    work.commands === 0 ? null : named ? w.work.command(only) : w.work.commands(work.commands)
  ].filter((text) => text !== null)
  const did = counts.length > 0 ? counts : work.steps > 0 ? [w.work.steps(work.steps)] : work.hasReasoning ? [w.thought] : []
  return [
    w.work.list(did),
    work.failed > 0 ? w.work.failed(work.failed) : null,
    work.seconds === null || work.seconds < 0.1 ? null : w.seconds(work.seconds)
  ].filter((text) => text !== null && text !== '').join(' · ')
}

/** Describes the current activity: the last call, or thinking. */
function nowOf (parts: readonly Part[]): ComponentChildren {
  const w = words.value.conversation
  const last = parts.at(-1)
  if (last?.kind === 'call' && last.state === 'running') {
    return last.preview === null || last.preview === '' ? last.name : `${last.name} · ${last.preview}`
  }
  if (last?.kind === 'event') return <LazyEventText part={last} />
  return last?.kind === 'reasoning' && last.isOpen ? w.thinking : w.working
}
