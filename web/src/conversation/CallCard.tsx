import { useRef, useState } from 'preact/hooks'
import { type CallPart, type CallState } from '../core/turn/turn.js'
import { Button } from '../ui/Button.js'
import { Check, CircleDashed, Hourglass, LoaderCircle, X } from '../ui/icons.js'
import { Disclosure, useBeginsOpen } from '../ui/Disclosure.js'
import { Icon } from '../ui/Icon.js'
import { type LucideIcon } from '../ui/lucide.js'
import { words } from '../words/index.js'
import { LazyJobChange } from '../tasks/LazyJobChange.js'
import { CallDifference, CallResult, changedBy } from './CallResult.js'
import { Elapsed } from './Elapsed.js'
import { LazyEventText } from './LazyEventText.js'
import { LazyOutput } from './LazyOutput.js'
import { showFile } from './open-chat.js'

const icons: Record<CallState, LucideIcon> = { waiting: Hourglass, running: LoaderCircle, done: Check, failed: X, abandoned: CircleDashed }

const ofFiles = new Set(['read_file', 'write_file', 'edit_file'])

/** Shows a tool call: its arguments, its preview, and its result. */
export function CallCard ({ call, name }: { call: CallPart, name?: string }) {
  const w = words.value.conversation
  const { foresight, output } = call
  const { diff, diff_truncated: isCut = false, job_change: job } = foresight ?? {}
  const [isOpen, setOpen] = useState(useBeginsOpen(name))
  const wasSeen = useRef(false)
  if (isOpen && output !== null) wasSeen.current = true
  const path = ofFiles.has(call.name) && call.state === 'done' && typeof call.args.path === 'string' ? call.args.path : null
  const card = (
    <Disclosure
      class={`call call-${call.state}`} {...name === undefined ? {} : { name }} onToggle={setOpen}
      summary={
        <span class='call-line'>
          <span class='call-state' role='img' aria-label={w.call[call.state]}><Icon of={icons[call.state]} size={14} /></span>
          <code class='call-name'>{call.name}</code>
          <bdi class='call-preview'>{call.preview ?? firstArgument(call.args)}</bdi>
          {call.durationS === null || call.durationS < 0.1 ? null : <span class='call-time'>{w.seconds(call.durationS)}</span>}
          {call.state === 'running' && call.startedAtS !== null ? <Elapsed sinceS={call.startedAtS} /> : null}
        </span>
      }
    >
      {() => (
        <div class='call-body'>
          {diff === undefined
            ? null
            : job?.before !== undefined || job?.after !== undefined
              ? <LazyJobChange change={job} />
              : <CallDifference diff={diff} truncated={isCut} file={changedBy(call)} call={call.id} />}
          {foresight?.diff_note === undefined
            ? null
            : (
              <p class='exchange-event'>
                <LazyEventText part={{ type: 'diff', text: foresight.diff_note, reason: foresight.diff_note_reason ?? null }} />
              </p>
              )}
          <section aria-label={w.call.arguments}><pre class='call-text' tabIndex={0}>{shownArguments(call.args)}</pre></section>
          {output === null ? null : <LazyOutput output={output} />}
          <CallResult call={call} hasDiff={diff !== undefined} isWatched={wasSeen.current} />
          {path === null
            ? null
            : <Button size='small' class='call-file' onClick={() => showFile(path, null)}>{w.call.openFile(path)}</Button>}
        </div>)}
    </Disclosure>
  )
  return output === null || isOpen || call.state !== 'running' ? card : <>{card}<LazyOutput output={output} isBrief /></>
}

/** Returns the argument by which people recognise a call. */
function firstArgument (args: CallPart['args']): string {
  const value = args.command ?? args.path ?? args.pattern ?? args.url ?? args.query ?? Object.values(args)[0]
  return typeof value === 'string' ? value.replace(/\n[^]*/, '').slice(0, 200) : ''
}

function shownArguments (args: CallPart['args']): string {
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`)
    .join('\n')
}
