import { useSignal } from '@preact/signals'
import { Segmented } from '../ui/Segmented.js'
import { lazy } from '../ui/lazy.js'
import { screenWords } from '../words/index.js'
import { barsOf, type Insights } from './numbers.js'

const BarChart = lazy(async () => (await import('../ui/charts.js')).BarChart)

/** The main figures. */
export function Totals ({ insights }: { insights: Insights }) {
  const w = screenWords.value.usage
  const {
    total_cost: cost, total_tokens: tokens, total_input_tokens: input, total_output_tokens: output,
    total_sessions: sessions, total_messages: messages, total_cache_hit_percent: hits
  } = insights
  const figures = [
    { name: w.cost, value: w.usd(cost) },
    { name: w.tokens, value: w.short(tokens), note: w.inOut(w.short(input), w.short(output)) },
    { name: w.chats, value: w.count(sessions), note: w.messages(messages) },
    ...(hits === null ? [] : [{ name: w.cached, value: `${Math.round(hits)} %` }])
  ]
  return (
    <dl class='usage-totals'>
      {figures.map(({ name, value, note }) => (
        <div key={name} class='usage-total'>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {note === undefined ? null : <dd class='usage-note'>{note}</dd>}
        </div>
      ))}
    </dl>
  )
}

/** The usage per day. */
export function Days ({ insights }: { insights: Insights }) {
  const measure = useSignal<'tokens' | 'cost' | 'chats'>('tokens')
  const w = screenWords.value.usage
  const days = insights.daily_tokens
  const shown = {
    tokens: {
      parts: [w.input, w.output], format: w.short,
      bars: () => barsOf(days, (day) => [day.input_tokens, day.output_tokens], w.day)
    },
    cost: { parts: [w.cost], format: w.usd, bars: () => barsOf(days, (day) => [day.cost], w.day) },
    chats: { parts: [w.chats], format: w.count, bars: () => barsOf(days, (day) => [day.sessions], w.day) }
  }[measure.value]
  return (
    <section class='usage-part' aria-label={w.perDay}>
      <div class='usage-head'>
        <h2>{w.perDay}</h2>
        <Segmented
          label={w.measure} chosen={measure.value}
          onChoose={(key) => { measure.value = key }}
          choices={[{ key: 'tokens', text: w.tokens }, { key: 'cost', text: w.cost }, { key: 'chats', text: w.chats }]}
        />
      </div>
      <BarChart label={w.perDay} bars={shown.bars()} parts={shown.parts} format={shown.format} />
    </section>
  )
}
