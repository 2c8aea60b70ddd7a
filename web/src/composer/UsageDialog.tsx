import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../app.js'
import { ApiError } from '../core/service/api.js'
import { compressSession } from '../core/sessions/session-actions.js'
import { type SessionFacts } from '../core/conversation/conversation-state.js'
import { type OpenChat } from '../conversation/open-chat.js'
import { places } from '../shell/places.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { EmptyState } from '../ui/EmptyState.js'
import { Link } from '../ui/Link.js'
import { Ring } from '../ui/Ring.js'
import { screenWords, words } from '../words/index.js'
import { budgetsOf, refreshBudgets } from './budgets.js'
import { budgetText } from './usage-words.js'

/** Shows how much of the context, tokens, money and budget a chat has used. */
export function UsageDialog ({ opened, onClose }: { opened: OpenChat, onClose: () => void }) {
  const { conversation } = opened
  const session = conversation.session.value
  const id = session?.session_id ?? null
  useEffect(() => { if (id !== null) void refreshBudgets(id) }, [id])
  const w = screenWords.value.chat.usage
  return (
    <Dialog open onClose={onClose} title={w.title} size='small' class='composer-usage'>
      {session === null
        ? <EmptyState title={screenWords.value.commands.needsChat} />
        : <><Facts session={session} opened={opened} /><Compress sessionId={session.session_id} opened={opened} /></>}
      <p><Link href={places.usage} onClick={() => onClose()}>{w.all}</Link></p>
    </Dialog>
  )
}

function Facts ({ session, opened: { conversation } }: { session: SessionFacts, opened: OpenChat }) {
  const turn = conversation.usage.value
  const w = screenWords.value.chat.usage
  const { count, short, usd, seconds } = screenWords.value.usage
  const percent = session.window_usage_percent ?? 0
  const { context_length: length, last_prompt_tokens: held, threshold_tokens: threshold, estimated_cost: cost } = session
  const rows: Array<[name: string, value: string]> = [
    [w.model, turn?.used_model ?? session.model ?? '–'],
    [w.input, count(session.input_tokens)],
    [w.output, count(session.output_tokens)],
    [w.cache, session.cache_hit_percent === null ? '–' : `${words.value.composer.context(session.cache_hit_percent)} · ${short(session.cache_read_tokens)}`],
    [w.cost, cost === null ? w.unpriced : usd(cost)]
  ]
  if (turn !== null) {
    rows.push([w.last, [seconds(turn.duration_seconds), ...(turn.tps === null ? [] : [w.speed(Math.round(turn.tps))])].join(' · ')])
  }
  return (
    <>
      <p class='composer-window'>
        <Ring share={percent / 100} size={32} />
        <span>
          <strong>{w.window(percent)}</strong>
          <br />
          {length === null || held == null ? null : w.held(short(held), short(length))}
          {threshold == null ? null : <span class='composer-muted'> · {w.threshold(short(threshold))}</span>}
        </span>
      </p>
      <dl class='composer-numbers'>{rows.map(([name, value]) => <div key={name}><dt>{name}</dt><dd><bdi>{value}</bdi></dd></div>)}</dl>
      <ul class='composer-limits'>
        {budgetsOf(session.session_id).map((line) => <li key={line.scope + line.measure} data-state={line.state}>{budgetText(line)}</li>)}
      </ul>
    </>
  )
}

/** Summarises earlier messages for the model now. The chat still shows them. */
function Compress ({ sessionId, opened: { conversation } }: { sessionId: string, opened: OpenChat }) {
  const isBusy = useSignal(false)
  const said = useSignal<{ text: string, isBad: boolean } | null>(null)
  const w = screenWords.value.chat.usage
  const compress = async (): Promise<void> => {
    isBusy.value = true
    said.value = null
    try {
      const { summary } = await compressSession(api, sessionId)
      said.value = { text: [summary.headline, summary.token_line].filter((line) => line !== '').join(' · '), isBad: false }
      await conversation.reload()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      said.value = { text: error.message, isBad: true }
    } finally {
      isBusy.value = false
    }
  }
  return (
    <>
      <Button busy={isBusy.value} onClick={() => { void compress() }}>{w.compress}</Button>
      {said.value === null ? null : <p role='status' class={said.value.isBad ? 'composer-bad' : 'composer-muted'}>{said.value.text}</p>}
    </>
  )
}
