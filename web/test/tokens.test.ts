import { readFileSync } from 'node:fs'
import t from '../../test/support/harness.js'

const css = readFileSync('web/src/ui/tokens.css', 'utf8')
const light = tokensOf(/^:root \{([^}]*)\}/m)
const dark = tokensOf(/^:root\[data-theme=dark\] \{([^}]*)\}/m)
const bySystem = tokensOf(/:root:not\(\[data-theme\]\) \{([^}]*)\}/)

/** Which text stands on which ground somewhere in the app. */
const texts: Record<string, readonly string[]> = {
  text: ['bg', 'rail', 'surface', 'pick', 'hover', 'accent-soft', 'wait-soft', 'bad-soft', 'good-soft'],
  muted: ['bg', 'rail', 'surface', 'pick', 'hover', 'accent-soft', 'wait-soft', 'bad-soft', 'good-soft'],
  accent: ['bg', 'surface', 'hover', 'accent-soft'],
  'on-fill': ['fill'],
  wait: ['bg', 'rail', 'surface', 'hover', 'wait-soft'],
  bad: ['bg', 'surface', 'hover', 'bad-soft'],
  good: ['bg', 'surface', 'hover', 'good-soft'],
  'code-word': ['surface', 'hover'],
  'code-number': ['surface', 'hover']
}

/** Which mark, such as a dot or the edge of a field, stands on which ground. */
const marks: Record<string, readonly string[]> = {
  edge: ['bg', 'surface', 'hover'],
  'wait-mark': ['bg', 'rail', 'surface', 'pick', 'hover', 'wait-soft'],
  accent: ['rail', 'pick'],
  fill: ['bg', 'surface', 'hover']
}

t.test('every text can be read on what it stands on, in both themes', async (t) => {
  for (const [theme, tokens] of Object.entries({ light, dark })) {
    for (const [text, grounds] of Object.entries(texts)) {
      for (const ground of grounds) {
        const ratio = contrast(tokens.get(text)!, tokens.get(ground)!)
        t.ok(ratio >= 4.5, `${theme}: ${text} on ${ground} is ${ratio.toFixed(2)}`)
      }
    }
    for (const [mark, grounds] of Object.entries(marks)) {
      for (const ground of grounds) {
        const ratio = contrast(tokens.get(mark)!, tokens.get(ground)!)
        t.ok(ratio >= 3, `${theme}: ${mark} on ${ground} is ${ratio.toFixed(2)}`)
      }
    }
  }
})

t.test('dark by choice and dark by system are the same, and leave no light colour behind', async (t) => {
  t.strictSame(bySystem, dark)
  const colours = [...light].filter(([, value]) => /^#|rgb/.test(value)).map(([name]) => name)
  t.strictSame([...dark.keys()].toSorted(), colours.toSorted())
})

t.test('the pages outside of the app have its colours', async (t) => {
  const outside = readFileSync('web/static/colours.css', 'utf8')
  const names = { ground: 'bg', panel: 'surface', text: 'text', quiet: 'muted', line: 'line', edge: 'edge', accent: 'accent', fill: 'fill', alarm: 'bad', good: 'good', waiting: 'wait' }
  for (const [theirs, ours] of Object.entries(names)) {
    const [, own, own2] = new RegExp(`--${theirs}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(outside) ?? []
    t.same([own, own2], [light.get(ours), dark.get(ours)], theirs)
  }
})

function tokensOf (block: RegExp): Map<string, string> {
  const body = block.exec(css)?.[1] ?? ''
  return new Map([...body.matchAll(/--([\w-]+): ([^;]+);/g)].map((match) => [match[1]!, match[2]!]))
}

/** The contrast ratio of WCAG 2. */
function contrast (one: string, other: string): number {
  const [brighter, darker] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (brighter! + 0.05) / (darker! + 0.05)
}

function luminance (hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

t.test('pages outside the app have its typeface and its icon', async (t) => {
  t.equal(readFileSync('web/static/apple-touch-icon.png').readUInt32BE(16), 180)
  t.ok(readFileSync('web/static/inter.woff2').equals(readFileSync('node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')))
  const [, latin = 'none'] = /latin = '([^']+)'/.exec(readFileSync('web/src/ui/typeface.ts', 'utf8')) ?? []
  t.match(readFileSync('web/static/base.css', 'utf8'), `unicode-range: ${latin};`)
})
