import { useSignal } from '@preact/signals'
import { Segmented } from '../ui/Segmented.js'
import { lazy } from '../ui/lazy.js'
import { screenWords } from '../words/index.js'
import { barsOf, daysPerBar, type Insights } from './numbers.js'

const BarChart = lazy(async () => (await import('../ui/charts.js')).BarChart)

/** Shows one number: the cost of the period, or its tokens if nothing has a price; the rest in a line below. */
export function Totals ({ insights }: { insights: Insights }) {
  const w = screenWords.value.usage
  const {
    total_cost: cost, total_tokens: tokens, total_input_tokens: input, total_output_tokens: output,
    total_sessions: sessions, total_messages: messages, total_cache_hit_percent: hits
  } = insights
  const isFree = cost === 0
  const rest = [
    isFree ? w.inOut(w.short(input), w.short(output)) : w.tokenCount(w.short(tokens)), w.chatCount(sessions), w.messages(messages),
    ...(hits === null ? [] : [w.cachedShare(Math.round(hits))])
  ]
  return (
    <div class='usage-total'>
      <p class='usage-number'>{isFree ? w.tokenCount(w.short(tokens)) : w.usd(cost)}</p>
      <p class='usage-rest'>{rest.join(' · ')}</p>
    </div>
  )
}

/** Shows the usage per day, or per week in long periods. */
export function Days ({ insights }: { insights: Insights }) {
  const measure = useSignal<'tokens' | 'cost' | 'chats'>(insights.total_cost === 0 ? 'tokens' : 'cost')
  const w = screenWords.value.usage
  const days = insights.daily_tokens
  const title = daysPerBar(days.length) === 1 ? w.perDay : w.perWeek
  const shown = {
    tokens: {
      parts: [w.input, w.output], format: w.short,
      bars: () => barsOf(days, (day) => [day.input_tokens, day.output_tokens], w.day)
    },
    cost: { parts: [w.cost], format: w.usd, bars: () => barsOf(days, (day) => [day.cost], w.day) },
    chats: { parts: [w.chats], format: w.count, bars: () => barsOf(days, (day) => [day.sessions], w.day) }
  }[measure.value]
  return (
    <section class='usage-part' aria-label={title}>
      <div class='usage-head'>
        <h2>{title}</h2>
        <Segmented
          label={w.measure} chosen={measure.value}
          onChoose={(key) => { measure.value = key }}
          choices={[{ key: 'cost', text: w.cost }, { key: 'tokens', text: w.tokens }, { key: 'chats', text: w.chats }]}
        />
      </div>
      <BarChart label={title} bars={shown.bars()} parts={shown.parts} format={shown.format} />
    </section>
  )
}
