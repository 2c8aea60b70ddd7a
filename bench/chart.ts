import { type Curve } from './report.js'

const size = { width: 640, height: 320, left: 64, right: 150, top: 36, bottom: 44 }
const lineHeight = 14
const colours = ['#2563eb', '#c2410c', '#15803d', '#7e22ce']

/** Draws a chart as SVG with two logarithmic axes. It is readable on light and dark pages. */
export function drawChart ({ title, xLabel, yLabel, series }: Curve): string {
  const points = series.flatMap((line) => line.points)
  const x = axis(points.map(([value]) => value), size.left, size.width - size.right)
  const y = axis(points.map(([, value]) => value), size.height - size.bottom, size.top)
  const [right, bottom] = [size.width - size.right, size.height - size.bottom]
  const text = (at: [number, number], content: string, more = ''): string =>
    `<text x="${round(at[0])}" y="${round(at[1])}" ${more}>${escaped(content)}</text>`
  const names = apart(series.map(({ name, points: line }): [string, number] => [name, y.at(line.at(-1)?.[1] ?? 1) + 4]))
  const parts = [
    text([size.left, 20], title, 'class="title"'),
    ...x.ticks.flatMap((tick) => [
      `<path class="grid" d="M${round(x.at(tick))} ${size.top}V${bottom}"/>`,
      text([x.at(tick), bottom + 16], short(tick), 'text-anchor="middle"')
    ]),
    ...y.ticks.flatMap((tick) => [
      `<path class="grid" d="M${size.left} ${round(y.at(tick))}H${right}"/>`,
      text([size.left - 6, y.at(tick) + 4], short(tick), 'text-anchor="end"')
    ]),
    text([(size.left + right) / 2, size.height - 8], xLabel, 'text-anchor="middle"'),
    text([-(size.top + bottom) / 2, 14], yLabel, 'transform="rotate(-90)" text-anchor="middle"'),
    ...series.flatMap(({ name, points: line }, index) => {
      const colour = colours[index % colours.length] ?? 'currentColor'
      const places = line.map((point): [number, number] => [x.at(point[0]), y.at(point[1])])
      return [
        `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${places.map((place) => place.map(round).join(',')).join(' ')}"/>`,
        ...places.map(([cx, cy]) => `<circle cx="${round(cx)}" cy="${round(cy)}" r="3" fill="${colour}"/>`),
        text([right + 8, names.get(name) ?? bottom], name, `fill="${colour}" class="name"`)
      ]
    })
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escaped(title)}">
<style>text{font:12px system-ui,sans-serif;fill:#57606a}.title{font-weight:600}.name{fill:revert-layer}.grid{stroke:#8c959f;stroke-opacity:.3}
@media(prefers-color-scheme:dark){text{fill:#9198a1}}</style>
${parts.join('\n')}
</svg>
`
}

/** Returns heights for texts below each other, so that none overlaps another. */
function apart (wanted: ReadonlyArray<[string, number]>): Map<string, number> {
  let free = -Infinity
  return new Map(wanted.toSorted(([, one], [, other]) => one - other).map(([name, height]) => {
    free = Math.max(height, free + lineHeight)
    return [name, free]
  }))
}

/** Returns a function that places values above zero between two pixels, and the powers of ten among them. */
function axis (values: readonly number[], from: number, to: number) {
  const logs = values.map((value) => Math.log10(Math.max(value, Number.EPSILON)))
  const low = Math.floor(Math.min(...logs))
  const high = Math.max(low + 1, Math.ceil(Math.max(...logs)))
  return {
    at: (value: number): number => from + (Math.log10(Math.max(value, Number.EPSILON)) - low) / (high - low) * (to - from),
    ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index))
  }
}

const round = (value: number): number => Math.round(value * 10) / 10
const short = (value: number): string => value >= 1 ? value.toLocaleString('en') : String(value)
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
