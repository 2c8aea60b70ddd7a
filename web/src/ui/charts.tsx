import { type ComponentChildren } from 'preact'
import { words } from '../words/index.js'
import { Disclosure } from './Disclosure.js'
import { inType } from './screen.js'
import './charts.css'

export interface BarChartProps {
  /** The name of the chart and of its table. */
  label: string
  /** One for each bar, in order. */
  bars: ReadonlyArray<{ key: string, text: string, values: readonly number[] }>
  /** The parts of a bar, from the bottom up: one for plain bars, four at most. */
  parts: readonly string[]
  /** Formats a value, such as `$1.20`. */
  format: (value: number) => string
  /** In pixels. */
  height?: number
  /** The selected bar, if bars can be picked. */
  picked?: string | null
  onPick?: (key: string) => void
}

const viewWidth = 600
const frame = { top: 8, bottom: 20, side: 0 }

/** Draws bars, which may be stacked, with the same data as a table. Import it with `lazy`. */
export function BarChart ({ label, bars, parts, format, height = 160, picked = null, onPick }: BarChartProps) {
  const most = niceAbove(Math.max(0, ...bars.map(({ values }) => sum(values))))
  const room = height - frame.top - frame.bottom
  const step = viewWidth / Math.max(1, bars.length)
  const gap = Math.min(step * 0.25, 6)
  const every = Math.ceil(bars.length / 8)
  return (
    <figure class='chart'>
      {parts.length > 1 && <Legend parts={parts} />}
      <div class='chart-picture'>
        <span class='chart-top' aria-hidden>{format(most)}</span>
        <svg
          viewBox={`0 0 ${viewWidth} ${height}`} preserveAspectRatio='none' role='img' aria-label={label}
          style={{ blockSize: inType(height) }}
        >
          {[0, 0.5, 1].map((share) => (
            <line
              key={share} class='chart-line' x1='0' x2={viewWidth} y1={frame.top + room * share}
              y2={frame.top + room * share} vector-effect='non-scaling-stroke'
            />
          ))}
          {bars.map(({ key, text, values }, at) => {
            let y = frame.top + room
            return (
              <g
                key={key}
                class={picked !== null && picked !== key ? 'chart-bar chart-faded' : 'chart-bar'}
                onClick={onPick === undefined ? undefined : () => onPick(key)}
              >
                <title>
                  {`${text}: ${values.map((value, part) => parts.length > 1 ? `${parts[part] ?? ''} ${format(value)}` : format(value))
                    .join(', ')}`}
                </title>
                <rect class='chart-ground' x={at * step} y={frame.top} width={step} height={room} />
                {values.map((value, part) => {
                  const tall = most === 0 ? 0 : Math.max(0, value) / most * room
                  y -= tall
                  return (
                    <rect
                      key={part} class={`chart-part-${part % 4}`} x={at * step + gap / 2} y={y}
                      width={Math.max(1, step - gap)} height={tall}
                    />
                  )
                })}
              </g>
            )
          })}
        </svg>
        <div class='chart-names' aria-hidden>
          {bars.map(({ key, text }, at) => at % every === 0 && (
            <span key={key} style={{ insetInlineStart: `${(at + 0.5) / bars.length * 100}%` }}>{text}</span>
          ))}
        </div>
      </div>
      <ChartTable label={label} bars={bars} parts={parts} format={format} onPick={onPick} />
    </figure>
  )
}

function Legend ({ parts }: { parts: readonly string[] }) {
  return (
    <ul class='chart-legend'>
      {parts.map((part, at) => <li key={part}><span class={`chart-key chart-part-${at % 4}`} aria-hidden />{part}</li>)}
    </ul>
  )
}

function ChartTable ({ label, bars, parts, format, onPick }: Pick<BarChartProps, 'label' | 'bars' | 'parts' | 'format' | 'onPick'>) {
  const name = (key: string, text: string): ComponentChildren => onPick === undefined
    ? text
    : <button type='button' class='chart-pick' onClick={() => onPick(key)}>{text}</button>
  return (
    <Disclosure summary={words.value.ui.asTable} class='chart-table'>
      {() => (
        <div class='chart-scroll' tabIndex={0} role='region' aria-label={label}>
          <table>
            <caption class='visually-hidden'>{label}</caption>
            <thead><tr><td />{parts.map((part) => <th key={part} scope='col'>{part}</th>)}</tr></thead>
            <tbody>
              {bars.map(({ key, text, values }) => (
                <tr key={key}><th scope='row'>{name(key, text)}</th>{values.map((value, at) => <td key={at}>{format(value)}</td>)}</tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Disclosure>
  )
}

export interface SparklineProps {
  /** The chart in words, because it has no table: "Cost of the last 7 days: $3.10". */
  label: string
  values: readonly number[]
  /** In pixels. */
  width?: number
  height?: number
}

/** A line chart small enough for a line of text. */
export function Sparkline ({ label, values, width = 96, height = 24 }: SparklineProps) {
  const most = Math.max(...values, 0)
  const points = values.map((value, at) => {
    const x = values.length < 2 ? width / 2 : 1.5 + at / (values.length - 1) * (width - 3)
    const y = most === 0 ? height - 1.5 : height - 1.5 - Math.max(0, value) / most * (height - 3)
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  return (
    <svg class='sparkline' width={inType(width)} height={inType(height)} viewBox={`0 0 ${width} ${height}`} role='img' aria-label={label}>
      <polyline points={points.join(' ')} />
    </svg>
  )
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + Math.max(0, value), 0)

/** Returns the smallest round number that is not smaller than a value: 1, 2 or 5 times a power of ten. Exported for tests. */
export function niceAbove (value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) return 0
  const size = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((step) => step * size).find((step) => step >= value * (1 - 1e-9)) ?? 10 * size
}
